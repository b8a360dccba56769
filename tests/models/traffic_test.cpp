// Flows and timers of a machine: their order, and rings to the picosecond.
#include "models/interconnect/traffic/traffic.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "base/flow/fifo_mover.h"
#include "tests/support/ring_traffic.h"

namespace trn {
namespace {

// Against a stable sort, with few and with many times.
TEST(TimerQueue, KeepsTheOrderOfRequestAtOneTime) {
  for (const std::uint64_t times : {1u, 5u, 100u, 100'000u}) {
    std::mt19937_64 random(times);
    TimerQueue queue;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> expected;  // time, token
    for (std::uint64_t token = 0; token < 5000; ++token) {
      expected.emplace_back(random() % times, token);
      queue.push(Picoseconds(expected.back().first), {nullptr, token});
    }
    std::sort(expected.begin(), expected.end());
    std::vector<std::pair<std::uint64_t, std::uint64_t>> fired;
    std::vector<TimerQueue::Owner> owners;
    while (queue.next() < Picoseconds::max()) {
      const std::uint64_t now = queue.next().count();
      queue.pop(owners);
      for (const TimerQueue::Owner& owner : owners) fired.emplace_back(now, owner.token);
    }
    EXPECT_EQ(fired, expected);
  }
}

struct Ring {
  std::uint64_t slice;
  std::uint64_t picoseconds;
};
class ExactRing : public testing::TestWithParam<Ring> {};

// 16 ranks, all-reduce in 30 steps over links of 128 GB/s, 1500 ns each:
//   1 MiB:  30 x (1500 ns + 65,536 B / 0.128 B/ps = 512,000 ps)        =    60.360 us
//   64 MiB: 30 x (1500 ns + 4,194,304 B / 0.128 B/ps = 32,768,000 ps)  = 1,028.040 us
// Nothing meets on a link, so flows that share and flows that queue take the same time.
TEST_P(ExactRing, TakesLatencyAndBytesOverRateAStep) {
  const RingShape shape{16, 1, 3, 1, Bytes(GetParam().slice), nanoseconds(1500)};
  Traffic shared;
  RingTraffic by_flows(shared, shape, bare_ring(shared.mover(), shape, 0.128), 30);
  by_flows.start(Picoseconds(0));
  EXPECT_EQ(run_until_quiet(shared), Picoseconds(GetParam().picoseconds));
  Traffic queued(std::make_unique<FifoMover>());
  RingTraffic by_fifo(queued, shape, bare_ring(queued.mover(), shape, 0.128), 30);
  by_fifo.start(Picoseconds(0));
  EXPECT_EQ(run_until_quiet(queued), Picoseconds(GetParam().picoseconds));
  EXPECT_EQ(by_flows.flows_ended(), 16 * 3 * 30);
  EXPECT_EQ(by_fifo.flows_ended(), 16 * 3 * 30);
}
INSTANTIATE_TEST_SUITE_P(Sizes, ExactRing,
                         testing::Values(Ring{65'536, 60'360'000}, Ring{4'194'304, 1'028'040'000}));

// Two slices on a link of 0.128 B/ps: together 1,024,000 ps, whether each has half of it or one waits.
// Sharing ends both then; queueing ends the first earlier, whose next step so comes early too.
TEST(RingTraffic, QueueingIsNeverSlowerThanSharingHere) {
  const RingShape shape{16, 1, 1, 2, Bytes(65'536), nanoseconds(1500)};
  Traffic shared;
  RingTraffic by_flows(shared, shape, bare_ring(shared.mover(), shape, 0.128), 30);
  by_flows.start(Picoseconds(0));
  EXPECT_EQ(run_until_quiet(shared), Picoseconds(1'500'000 + 1'024'000) * 30);
  Traffic queued(std::make_unique<FifoMover>());
  RingTraffic by_fifo(queued, shape, bare_ring(queued.mover(), shape, 0.128), 30);
  by_fifo.start(Picoseconds(0));
  // One slice's step is 1500 + 512 ns, during which the link is also free for the other slice: 30 such steps,
  // and the second slice's 512 ns behind.
  EXPECT_EQ(run_until_quiet(queued), Picoseconds(2'012'000) * 30 + Picoseconds(512'000));
}

// Memory of a rank is read by its own flow and written by its predecessor's, 22 flows each way with 3 bytes'
// worth: 22 x 3 x 65,536 B / 0.716 B/ps = 6,041,027.9 ps. Rounded up, and 1500 ns a step. Solved once.
TEST(RingTraffic, AWholeMachineStaysInLockStep) {
  RingShape shape;
  shape.ranks = 64;
  Traffic traffic;
  RingTraffic ring(traffic, shape, machine_ring(traffic.mover(), shape), 20);
  ring.start(Picoseconds(0));
  EXPECT_EQ(run_until_quiet(traffic), Picoseconds(1'500'000 + 6'041'028) * 20);
  EXPECT_EQ(ring.flows_ended(), 64 * 11 * 2 * 20);
  EXPECT_EQ(traffic.flows().solves(), 1);
}

TEST(Traffic, FlowsMovedOtherwiseHaveNoEngine) {
  Traffic traffic(std::make_unique<FifoMover>());
  EXPECT_THROW(traffic.flows(), InternalError);
}

}  // namespace
}  // namespace trn
