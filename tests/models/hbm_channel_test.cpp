// One channel, command by command. Times are cycles of the command clock; each expectation is a sum of
// timings.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/tick_channel.h"

namespace trn {
namespace {

// Round numbers that tell the timings apart.
DramConfig dram() {
  DramConfig d;
  d.channels = 1;
  d.bank_groups = 4;
  d.banks_per_group = 4;
  d.row_bytes = 1024;
  d.burst_bytes = 32;
  d.rate = MegabytesPerSecond(32000);  // 32 B a ns: with 2 cycles a burst, a cycle is 0.5 ns
  d.t = {};
  d.t.burst = 2;
  d.t.ccd_l = 4;
  d.t.cl = 20;
  d.t.cwl = 8;
  d.t.rcd = 14;
  d.t.rp = 15;
  d.t.ras = 33;
  d.t.rrd_s = 4;
  d.t.rrd_l = 6;
  d.t.faw = 40;
  d.t.wr = 16;
  d.t.rtp = 5;
  d.t.wtr_s = 7;
  d.t.wtr_l = 9;
  d.t.bus_turn = 3;
  d.t.rfc = 300;
  d.t.rfc_pb = 100;
  d.t.refi = 3900;
  d.queue_entries = 16;
  d.write_high = 8;
  d.write_low = 2;
  d.max_row_hits = 4;
  return d;
}

struct Push {
  std::uint64_t row;
  std::uint32_t bank;
  bool write = false;
};

// Ends of the data of requests that all arrive at cycle 0, by request.
std::vector<std::uint64_t> ends(const DramConfig& d, const std::vector<Push>& pushes) {
  HbmChannel channel(d);
  for (std::uint32_t i = 0; i < pushes.size(); ++i)
    channel.push({pushes[i].row, 0, pushes[i].bank, i}, pushes[i].write);
  std::vector<BurstDone> done;
  while (channel.next() != kNeverCycle) channel.step(done);
  std::vector<std::uint64_t> cycles(pushes.size());
  for (const BurstDone& burst : done) cycles[burst.request] = burst.cycle;
  return cycles;
}

// Activate at 0, read at tRCD = 14, data from 14 + 20 for 2 cycles: 36.
TEST(HbmChannel, AReadOfAClosedBankActivatesFirst) { EXPECT_EQ(ends(dram(), {{1, 0}})[0], 36u); }

// Another row of the same bank: the first read lies at 14, its precharge at max(tRAS = 33, 14 + tRTP = 19) =
// 33, the activation at 33 + 15 = 48, the read at 48 + 14 = 62, its data end at 62 + 22 = 84.
TEST(HbmChannel, AnotherRowOfABankWaitsForTheRowCycle) { EXPECT_EQ(ends(dram(), {{1, 0}, {2, 0}})[1], 84u); }

// Hits of one row follow at tCCD_L = 4; of another group they may at tCCD_S = 2. The other group's bank 4 is
// activated at tRRD_S = 4, so its read is at 18 and the hit of bank 0 between the two, at 14 + 4 = 18, is
// older: it goes first, and the other at 20.
TEST(HbmChannel, BankGroupsSpaceBursts) {
  const std::vector<std::uint64_t> end = ends(dram(), {{1, 0}, {1, 0}, {1, 4}});
  EXPECT_EQ(end[0], 36u);
  EXPECT_EQ(end[1], 40u);
  EXPECT_EQ(end[2], 42u);
}

// Banks of one group are activated tRRD_L = 6 apart: read at 6 + 14 = 20, end at 42.
TEST(HbmChannel, ActivationsOfAGroupAreFurtherApart) { EXPECT_EQ(ends(dram(), {{1, 0}, {1, 1}})[1], 42u); }

// Activations of banks 0, 4, 8, 12 at 0, 4, 8, 12; the fifth, of bank 1, not before tFAW = 40: end at 40
// + 36.
TEST(HbmChannel, FourActivationsFillTheWindow) {
  EXPECT_EQ(ends(dram(), {{1, 0}, {1, 4}, {1, 8}, {1, 12}, {1, 1}})[4], 76u);
}

// The read comes first: at 14. Its data end at 36 and the bus turns for 3: write data may start at 39, the
// write is given tCWL = 8 earlier, at 31, and ends at 31 + 8 + 2 = 41. Same row, so nothing else holds it.
TEST(HbmChannel, AWriteWaitsUntilReadDataHaveLeftTheBus) {
  EXPECT_EQ(ends(dram(), {{1, 0}, {1, 0, true}})[1], 41u);
}

// Eight writes make the controller turn; it goes back when two are left. The first write comes at 14, the
// next at tCCD_L = 4 cycles: the sixth, after which two are left, at 14 + 5 * 4 = 34. Its data end at 34 + 8
// + 2 = 44 and a read of the same group waits tWTR_L = 9 more: 53, and ends at 53 + 22 = 75. (max_row_hits is
// out of the way.)
TEST(HbmChannel, AReadWaitsAfterWrites) {
  DramConfig d = dram();
  d.max_row_hits = 100;
  std::vector<Push> pushes(8, Push{1, 0, true});
  pushes.push_back({1, 0});
  // The read arrives last; with no reads before it the controller already writes.
  EXPECT_EQ(ends(d, pushes)[8], 75u);
}

// Rows 1, 2, 1: the third request overtakes the second (hit), which then needs a row cycle.
TEST(HbmChannel, RowHitsGoFirst) {
  const std::vector<std::uint64_t> end = ends(dram(), {{1, 0}, {2, 0}, {1, 0}});
  EXPECT_LT(end[2], end[1]);
  EXPECT_EQ(end[2], 40u);
}

// After max_row_hits = 4 bursts of the row an older request to another row comes first: the sixth does not
// pass.
TEST(HbmChannel, AnOlderRequestIsNotStarved) {
  const std::vector<std::uint64_t> end =
      ends(dram(), {{1, 0}, {2, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}});
  EXPECT_LT(end[4], end[1]);
  EXPECT_GT(end[5], end[1]);
}

// An idle channel has refreshed in time. All-bank: due at 3900, it takes until 4200; a read that arrives at
// 3950 activates at 4200 and ends at 4200 + 36.
TEST(HbmChannel, ARefreshBlocksAllBanks) {
  DramConfig d = dram();
  d.refresh = RefreshMode::kAllBank;
  HbmChannel channel(d);
  channel.push({1, 3950, 0, 0}, false);
  std::vector<BurstDone> done;
  while (done.empty()) channel.step(done);
  EXPECT_EQ(done[0].cycle, 4236u);
}

// Bank by bank: bank 0 at 3900 / 16 = 243, for 100 cycles. A read of it at 250 waits until 343, one of bank 4
// not.
TEST(HbmChannel, ARefreshOfABankLeavesTheOthers) {
  DramConfig d = dram();
  d.refresh = RefreshMode::kPerBank;
  for (const auto& [bank, end] : {std::pair<std::uint32_t, std::uint64_t>{0, 343 + 36}, {4, 250 + 36}}) {
    HbmChannel channel(d);
    channel.push({1, 250, bank, 0}, false);
    std::vector<BurstDone> done;
    while (done.empty()) channel.step(done);
    EXPECT_EQ(done[0].cycle, end) << bank;
  }
}

struct Arrival {
  ChannelBurst burst;
  bool write;
};

std::vector<Arrival> random_traffic(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  const std::uint64_t rows = 1 + random() % 4, gap = 1 + random() % 40, writes = random() % 101;
  std::vector<Arrival> traffic;
  std::uint64_t at = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (random() % 500 == 0) at += random() % 20'000;  // idle for some refreshes
    at += random() % gap;
    traffic.push_back(
        {{random() % rows, at, static_cast<std::uint32_t>(random() % 16), i}, random() % 100 < writes});
  }
  return traffic;
}

std::vector<std::uint64_t> by_events(const DramConfig& d, const std::vector<Arrival>& traffic) {
  HbmChannel channel(d);
  std::vector<BurstDone> done;
  for (const Arrival& a : traffic) {
    while (channel.next() < a.burst.arrived) channel.step(done);
    channel.push(a.burst, a.write);
  }
  while (channel.next() != kNeverCycle) channel.step(done);
  std::vector<std::uint64_t> cycles(traffic.size());
  for (const BurstDone& burst : done) cycles[burst.request] = burst.cycle;
  return cycles;
}

std::vector<std::uint64_t> by_ticks(const DramConfig& d, const std::vector<Arrival>& traffic) {
  TickChannel channel(d);
  std::vector<BurstDone> done;
  std::size_t next = 0;
  for (std::uint64_t cycle = 0; next < traffic.size() || !channel.idle(); ++cycle) {
    for (; next < traffic.size() && traffic[next].burst.arrived == cycle; ++next)
      channel.push(traffic[next].burst, traffic[next].write);
    if (!channel.idle()) channel.tick(cycle, done);
  }
  std::vector<std::uint64_t> cycles(traffic.size());
  for (const BurstDone& burst : done) cycles[burst.request] = burst.cycle;
  return cycles;
}

// Every burst at the same cycle, over loads from idle to overfull, with and without refreshes and writes.
TEST(HbmChannel, EventsEqualTicks) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    DramConfig d = dram();
    d.refresh = static_cast<RefreshMode>(seed % 3);
    if (seed % 5 == 0) d.queue_entries = 8;
    if (seed % 7 == 0) d.t.refi = 900;
    const std::vector<Arrival> traffic = random_traffic(seed, 1500);
    ASSERT_EQ(by_events(d, traffic), by_ticks(d, traffic)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace trn
