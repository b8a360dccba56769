// MSCCL files timed: as fast as the same steps from our own generator; and schedules that get stuck.
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/text.h"
#include "models/interconnect/collectives/msccl/msccl_reader.h"
#include "models/interconnect/collectives/msccl/msccl_schedule.h"
#include "models/interconnect/collectives/schedule/plan.h"
#include "sim/run/collective_simulation.h"

namespace trn {
namespace {

MachineConfig ring_of_eight() {
  ConfigDocument document = load_machine_document("inf2");
  document.set("shapes.instance.chips=8");
  return parse_machine(document, "instance");
}

CollectiveJob job_of(std::uint64_t bytes) {
  CollectiveJob job;
  job.task.bytes = bytes;
  job.group = Group::whole(8, 1);
  job.algorithm = "test";
  return job;
}

CollectiveResult run_sample(std::uint64_t bytes, const MachineConfig& machine) {
  const MscclProgram program =
      read_msccl(read_text_file("traces/samples/msccl/ring_allreduce_8npus.xml"), "ring.xml");
  CollectiveJob job = job_of(bytes);
  job.schedule = [&](const CollectiveTask& task, std::uint32_t ranks) {
    return msccl_schedule(program, task, ranks);
  };
  return run_collective(job, machine);
}

// One channel, one direction, one slice: what the sample's author wrote.
CollectiveResult run_own_ring(std::uint64_t bytes, const MachineConfig& machine) {
  CollectiveJob job = job_of(bytes);
  job.schedule = [](const CollectiveTask& task, std::uint32_t ranks) {
    Schedule schedule;
    schedule.ranks = ranks;
    schedule.layout = BlockLayout::uniform(task.bytes, ranks);
    const std::uint32_t all = schedule.add_teams(Teams::strided(1, ranks));
    unroll({{1, 1, {{Stage::Kind::kRing, all, true}}}}, Phases::kAllReduce, schedule);
    number_patterns(schedule);
    return schedule;
  };
  return run_collective(job, machine);
}

TEST(MscclRun, TheSampleIsAsFastAsOurOwnRing) {
  const MachineConfig machine = ring_of_eight();
  for (const std::uint64_t bytes : {8ULL << 10, 1ULL << 20, 256ULL << 20}) {
    const CollectiveResult file = run_sample(bytes, machine), own = run_own_ring(bytes, machine);
    const auto file_ps = static_cast<double>(file.time.count()),
               own_ps = static_cast<double>(own.time.count());
    EXPECT_NEAR(file_ps / own_ps, 1, 0.01) << bytes;
    EXPECT_EQ(file.moves, 8u * 14u);
    EXPECT_GE(file_ps, file.bound.picoseconds);
  }
}

// Both directions of the ring carry 2 x 7/8 S at 48 GB/s each at best; the sample uses one: twice the bound,
// and the latencies of 14 steps, which do not count for 1 GiB.
TEST(MscclRun, OneDirectionTakesTwiceTheBound) {
  const CollectiveResult r = run_sample(1ULL << 30, ring_of_eight());
  EXPECT_NEAR(static_cast<double>(r.time.count()) / r.bound.picoseconds, 2, 0.02);
}

// Rank 0 and 1 both send to rank 0, and both wait to receive. Rank 1 waits for ever, with DMA in the
// background too.
TEST(MscclRun, AScheduleThatGetsStuckIsADeadlock) {
  CollectiveJob job = job_of(1 << 20);
  job.group = Group::of({{0, 0, 0}, {0, 1, 0}});
  job.schedule = [](const CollectiveTask& task, std::uint32_t ranks) {
    Schedule schedule;
    schedule.ranks = ranks;
    schedule.symmetric = false;
    schedule.layout = BlockLayout::uniform(task.bytes, 1);
    Step send;
    send.sources = {{Place::self(), kInput}};
    send.destinations = {{Place::rank(0), kOutput}};
    send.blocks = {Place::rank(0), {}};
    schedule.steps = {send, send, send};
    schedule.steps[1].received = {{0, 0}};
    schedule.steps[2].own = {1};
    number_patterns(schedule);
    return schedule;
  };
  for (const double background : {0.0, 1e9}) {
    CollectiveOptions options;
    options.background_rate = background;
    try {
      run_collective(job, ring_of_eight(), options);
      FAIL() << "finished";
    } catch (const DeadlockError& error) {
      const std::string what = error.what();
      EXPECT_EQ(error.code(), ExitCode::kDeadlock);
      EXPECT_NE(
          what.find("2 of 6 moves wait for ever: rank 1 step 1 waits for step 0, which sends nothing to it; "
                    "rank 1 step 2 waits for its own step 1; a step may wait only for"),
          std::string::npos)
          << what;
    }
  }
}

}  // namespace
}  // namespace trn
