// Schedules without contention: times by hand, and the same from flows that share and flows that queue.
#include <gtest/gtest.h>

#include "base/flow/fifo_mover.h"
#include "tests/support/collective_scene.h"

namespace trn {
namespace {

MachineConfig torus_machine(std::vector<std::uint64_t> dims, std::uint64_t rate) {
  MachineConfig machine = machine_named("trn2");
  leave_links_only(machine);
  machine.fabric = {};
  machine.fabric.kind = FabricKind::kTorus;
  machine.fabric.link_rates.assign(dims.size(), MegabytesPerSecond(rate));
  machine.fabric.dims = std::move(dims);
  machine.collectives.slices = machine.collectives.ring_slices = 1;
  return machine;
}

// One chain over the dimensions in the order given, a ring in each, all of them forwards.
Schedule one_way(const std::vector<std::uint64_t>& dims, const std::vector<std::size_t>& order, Phases phases,
                 std::uint64_t bytes) {
  Schedule schedule;
  std::vector<std::uint32_t> strides(dims.size());
  for (std::size_t d = dims.size(); d-- > 0;) {
    strides[d] = schedule.ranks;
    schedule.ranks *= static_cast<std::uint32_t>(dims[d]);
  }
  schedule.layout = BlockLayout::uniform(bytes, schedule.ranks);
  Chain chain;
  for (const std::size_t d : order)
    chain.stages.push_back({Stage::Kind::kRing, schedule.add_teams(Teams::strided(
                                                    strides[d], static_cast<std::uint32_t>(dims[d])))});
  unroll({chain}, phases, schedule);
  number_patterns(schedule);
  return schedule;
}

Picoseconds run_fifo(const Scene& scene, const Schedule& schedule) {
  Movement movement;
  movement.mover = [] { return std::make_unique<FifoMover>(); };
  return scene.run(schedule, movement).time;
}

// 16 ranks on one ring of 128 GB/s, one direction, 1.5 us a step, 30 steps of a sixteenth each:
//   1 MiB:  30 x (1500 ns + 65,536 B / 0.128 B/ps = 512,000 ps)        =    60.360 us
//   64 MiB: 30 x (1500 ns + 4,194,304 B / 0.128 B/ps = 32,768,000 ps)  = 1,028.040 us
TEST(OneWayRing, TakesLatencyAndBytesOverRateAStep) {
  MachineConfig machine = torus_machine({16}, 128'000);
  machine.collectives.step_latency = nanoseconds(1500);
  const Scene scene(machine, Group::whole(16, 1));
  for (const auto& [mib, picoseconds] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 60'360'000}, {64, 1'028'040'000}}) {
    const Schedule schedule = one_way({16}, {0}, Phases::kAllReduce, mib << 20);
    EXPECT_EQ(scene.run(schedule).time, Picoseconds(picoseconds));
    // The first half's sums are also written at home: HBM takes 1e-7 ps, which queueing rounds up to one.
    EXPECT_NEAR(static_cast<double>(run_fifo(scene, schedule).count()), static_cast<double>(picoseconds), 30);
  }
}

void expect_same(const Scene& scene, const Schedule& schedule, const std::string& what) {
  const double shared = static_cast<double>(scene.run(schedule).time.count());
  const double queued = static_cast<double>(run_fifo(scene, schedule).count());
  EXPECT_NEAR(shared, queued, static_cast<double>(schedule.steps.size())) << what;  // a picosecond a step
}

TEST(FifoMover, EqualsFlowsOnRings) {
  for (const std::uint64_t chips : {2, 3, 4, 5, 8, 13, 16}) {
    MachineConfig machine = torus_machine({chips}, 100'000 + 1'001 * chips);
    machine.fabric.hop_latency = Picoseconds(chips * 12'345);
    machine.collectives.step_latency = nanoseconds(777);
    const Scene scene(machine, Group::whole(static_cast<std::uint32_t>(chips), 1));
    for (const CollectiveOp op :
         {CollectiveOp::kAllReduce, CollectiveOp::kAllGather, CollectiveOp::kReduceScatter})
      for (const std::uint64_t bytes : {1ULL, 12'345ULL, 1ULL << 20, 999'999'999ULL}) {
        if (chips == 2) continue;  // there and back share both cables
        CollectiveTask task;
        task.op = op;
        task.bytes = bytes;
        expect_same(scene, scene.schedule(task, "ring"),
                    std::to_string(chips) + " chips " + std::to_string(bytes));
      }
  }
}

TEST(FifoMover, EqualsFlowsOnBucketsOfOneOrder) {
  for (const auto& [dims, order] :
       std::vector<std::pair<std::vector<std::uint64_t>, std::vector<std::size_t>>>{{{4, 4}, {0, 1}},
                                                                                    {{4, 4}, {1, 0}},
                                                                                    {{3, 5}, {0, 1}},
                                                                                    {{2, 6}, {1, 0}},
                                                                                    {{2, 3, 4}, {2, 0, 1}},
                                                                                    {{3, 3, 3}, {1, 2, 0}}}) {
    MachineConfig machine = torus_machine(dims, 90'000);
    machine.fabric.link_rates.back() = MegabytesPerSecond(47'000);
    machine.fabric.hop_latency = Picoseconds(200'000);
    machine.collectives.step_latency = nanoseconds(1300);
    const Scene scene(machine, Group::whole(static_cast<std::uint32_t>(machine.fabric.chips()), 1));
    for (const Phases phases : {Phases::kAllReduce, Phases::kAllGather, Phases::kReduceScatter})
      for (const std::uint64_t bytes : {1ULL, 12'345ULL, 1ULL << 20, 999'999'999ULL})
        expect_same(scene, one_way(dims, order, phases, bytes), std::to_string(dims.size()) + " dimensions");
  }
}

}  // namespace
}  // namespace trn
