// A whole stack under access patterns, on the configured devices.
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "models/machine_config.h"
#include "models/memory/hbm/hbm_device.h"
#include "models/memory/hbm/memory_pattern.h"

namespace trn {
namespace {

std::vector<DramConfig> devices() {
  std::vector<DramConfig> all{load_hbm_device("hbm2", {}), load_hbm_device("hbm4", {})};
  for (const char* name : {"trn1", "trn2", "trn3"})
    all.push_back(parse_machine(load_machine_document(name), "chip").hbm.dram);
  return all;
}

MemoryResult run(const DramConfig& dram, PatternKind kind, std::uint64_t bytes, std::uint64_t requests,
                 std::uint64_t writes = 0) {
  MemoryPattern p;
  p.kind = kind;
  p.request_bytes = bytes;
  p.requests = requests;
  p.write_percent = writes;
  return run_pattern(p, dram);
}

// Part of the time a channel can move data with all banks refreshed at once; bank by bank it can all the
// time.
double refresh_free(const DramConfig& d) {
  return d.refresh == RefreshMode::kAllBank ? 1 - static_cast<double>(d.t.rfc) / static_cast<double>(d.t.refi)
                                            : 1;
}

TEST(HbmStack, StreamsReachNinetyPercentOfPeakLessRefresh) {
  for (DramConfig d : devices()) {
    for (const RefreshMode mode : {RefreshMode::kPerBank, RefreshMode::kAllBank}) {
      d.refresh = mode;
      for (const std::uint64_t writes : {0ULL, 100ULL}) {
        MemoryPattern p;
        p.request_bytes = 256;
        p.requests = 40'000;
        p.write_percent = writes;
        const double steady = steady_efficiency(p, d);
        EXPECT_GE(steady, 0.9 * refresh_free(d)) << d.standard;
        EXPECT_LE(steady, refresh_free(d) + 0.01) << d.standard;
      }
    }
  }
}

// 8 channels x 128 bits x 2 Gb/s / 8 = 256 GB/s; 1 MiB takes 4.1 us, of which the first access and the
// refreshes of rows in use cost some per cent.
TEST(HbmStack, AnHbm2StackComesNearItsPeak) {
  const MemoryResult r = run(load_hbm_device("hbm2", {}), PatternKind::kStream, 32, 32'768);
  EXPECT_GT(r.bytes_per_second, 0.95 * 256e9);
  EXPECT_LT(r.bytes_per_second, 256e9);
  EXPECT_EQ(r.bytes, 32'768u * 32);
}

// 64 B at random: two bursts an activation. A channel opens at most 4 rows in tFAW, and each of its banks one
// in tRC = tRAS + tRP: no more than 64 B x min(4 / tFAW, banks / tRC). The queue's imbalance over the banks
// takes its part, but not half.
TEST(HbmStack, RandomReadsAreBoundByActivations) {
  for (const DramConfig& d : devices()) {
    const double per_cycle =
        std::min(4.0 / static_cast<double>(d.t.faw),
                 static_cast<double>(d.banks()) / static_cast<double>(d.t.ras + d.t.rp)) *
        64 * static_cast<double>(d.channels);
    const double bound = std::min(
        1.0, per_cycle * static_cast<double>(d.t.burst) / static_cast<double>(d.burst_bytes * d.channels));
    const MemoryResult r = run(d, PatternKind::kRandom, 64, 40'000);
    EXPECT_LE(r.efficiency, bound) << d.standard;
    EXPECT_GE(r.efficiency, 0.5 * bound) << d.standard;
    EXPECT_NEAR(r.row_hit_rate, 0.5, 0.01) << d.standard;
  }
}

TEST(HbmStack, SequentialIsNeverSlowerThanRandom) {
  for (const DramConfig& d : devices())
    for (const std::uint64_t bytes : {32ULL, 64ULL, 512ULL, 4096ULL})
      for (const std::uint64_t writes : {0ULL, 30ULL, 100ULL}) {
        const std::uint64_t n = 800'000 / bytes;
        EXPECT_GE(run(d, PatternKind::kStream, bytes, n, writes).efficiency,
                  0.999 * run(d, PatternKind::kRandom, bytes, n, writes).efficiency)
            << d.standard << ' ' << bytes << ' ' << writes;
      }
}

// Without the hash, a stride of (channels x banks x row) comes back to the same bank with another row each
// time: one burst in each row cycle tRC = tRAS + tRP of one channel.
TEST(HbmStack, AStrideThatHitsOneBankRunsAtTheRowCycle) {
  DramConfig d = load_hbm_device("hbm4", {});
  d.hash = false;
  d.refresh = RefreshMode::kNone;
  MemoryPattern p;
  p.kind = PatternKind::kStrided;
  p.request_bytes = 32;
  p.stride_bytes = d.channels * d.banks() * d.row_bytes;
  p.requests = 1000;
  p.footprint_bytes = p.stride_bytes * 1000;
  const std::uint64_t cycles = 1000 * (d.t.ras + d.t.rp);
  const MemoryResult r = run_pattern(p, d);
  EXPECT_NEAR(static_cast<double>(r.time.count()), static_cast<double>(d.time_of(cycles).count()),
              0.002 * static_cast<double>(r.time.count()) + 100e3);
  EXPECT_EQ(r.limit, DramLimit::kRowCycle);
  // The hash spreads the same stride over channels and banks.
  d.hash = true;
  EXPECT_LT(run_pattern(p, d).time.count(), r.time.count() / 10);
}

TEST(HbmStack, MixesPayForTurningTheBus) {
  for (const DramConfig& d : devices()) {
    const double mixed = run(d, PatternKind::kStream, 256, 12'000, 50).efficiency;
    EXPECT_LT(mixed, run(d, PatternKind::kStream, 256, 12'000, 0).efficiency) << d.standard;
    EXPECT_GT(mixed, 0.6) << d.standard;
  }
}

// Each (channel, bank, row) takes exactly a row's worth of bursts: no two addresses share a place.
TEST(AddressMap, GivesEveryAddressAPlaceOfItsOwn) {
  for (const DramConfig& d : devices()) {
    const AddressMap map(d);
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint64_t> bursts;
    const std::uint64_t rows_of_all_banks = d.channels * d.banks() * d.row_bytes;
    for (std::uint64_t address = 0; address < rows_of_all_banks; address += d.burst_bytes) {
      const BurstPlace p = map.place(address);
      ++bursts[{p.channel, p.bank, p.row}];
    }
    EXPECT_EQ(bursts.size(), d.channels * d.banks());
    for (const auto& [place, count] : bursts) ASSERT_EQ(count, d.row_bytes / d.burst_bytes);
  }
}

TEST(HbmDevice, ErrorsSayWhereAndWhat) {
  const auto message = [](const std::string& name, const std::vector<std::string>& sets) {
    try {
      load_hbm_device(name, sets);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(message("hbm5", {}).find("HBM device \"hbm5\": unknown"), std::string::npos);
  EXPECT_NE(message("hbm2", {"dram.channels=6"}).find("dram.channels: expected a power of two"),
            std::string::npos);
  EXPECT_NE(message("hbm2", {"dram.write_low=60"}).find("dram.write_low: must be below write_high"),
            std::string::npos);
  EXPECT_NE(message("hbm2", {"dram.trefi_ns=100"}).find("refreshes would take all of the time"),
            std::string::npos);
}

// Three seconds, and a terabyte away: nothing wraps.
TEST(HbmDevice, TimesAre64Bits) {
  const DramConfig d = load_hbm_device("hbm2", {});
  // 32 B of a channel take 1 ns: 3 s are 3e9 cycles, to the picosecond.
  EXPECT_EQ(d.time_of(3'000'000'000).count(), 3'000'000'000'000u);
  MemoryPattern p;
  p.kind = PatternKind::kRandom;
  p.footprint_bytes = std::uint64_t{1} << 40;
  p.requests = 1000;
  EXPECT_EQ(run_pattern(p, d).bytes, 64'000u);
}

// A write of one burst and reads of 64 a channel, all at cycle 0. The controller puts reads first, so the
// write's data follow those of its channel's reads; but it is in the queue at once, and posted it is done
// after the write latency, a burst, and the way to the controller and back. The burst is moved all the same.
TEST(HbmStack, APostedWriteIsDoneBeforeItsBurst) {
  const DramConfig d = devices()[3];  // trn2
  const auto write_done = [&](bool posted) {
    HbmStack stack(d);
    stack.request(0, {0, d.channels * 64 * d.burst_bytes, false, false});
    const std::uint32_t write = stack.request(0, {0, d.burst_bytes, true, posted});
    std::vector<HbmDone> completed;
    while (stack.next() != kNeverCycle) stack.advance(stack.next() + 1, completed);
    EXPECT_EQ(stack.stats().writes, 1u);
    for (const HbmDone& done : completed)
      if (done.ticket == write) return done.cycle;
    return kNeverCycle;
  };
  EXPECT_GT(write_done(false), 64 * d.t.burst);
  EXPECT_EQ(write_done(true), d.t.cwl + d.t.burst + d.controller_latency);
}

// A write of more bursts than the controllers' queues hold is not done before the rest has found room: the
// channels have written all but a queue's length each by then.
TEST(HbmStack, APostedWriteWaitsForRoomInTheQueues) {
  const DramConfig d = devices()[3];
  const std::uint64_t each = 4 * d.queue_entries;  // bursts a channel, as the map spreads a stream evenly
  HbmStack stack(d);
  stack.request(0, {0, d.channels * each * d.burst_bytes, true, true});
  std::vector<HbmDone> completed;
  while (stack.next() != kNeverCycle) stack.advance(stack.next() + 1, completed);
  ASSERT_EQ(completed.size(), 1u);
  EXPECT_GE(completed[0].cycle, (each - d.queue_entries) * d.t.burst);
  EXPECT_LT(completed[0].cycle, stack.stats().last);
}

}  // namespace
}  // namespace trn
