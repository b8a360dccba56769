// Jobs on a machine: ranks of different programs, groups that share a chip.
#include <gtest/gtest.h>

#include "base/error.h"
#include "isa/assembler/assembler.h"
#include "sim/run/simulation.h"

namespace trn {
namespace {

MachineConfig instance() {
  ConfigDocument document = load_machine_document("trn2");
  document.set("shapes.instance.dims=[2,2]");
  return parse_machine(document, "instance");
}

// `copies` of 4096 columns on Vector, then a collective over each axis.
Program worker(int copies, const std::string& op = "all_reduce") {
  return assemble(
      ".target trn2\n.kernel w" + std::to_string(copies) +
          "\n.tensor a space=sbuf dtype=bf16 shape=[128,4096]\n.sem done, got\n.coll in op=" + op +
          " axis=tp bytes=1048576 dtype=bf16\n.coll out op=" + op +
          " axis=fsdp bytes=4194304 dtype=bf16\n.engine DVE\n.for i in 0.." + std::to_string(copies) +
          "\nCOPY a, a\n.endfor\nPOST done+=1\n.end\n.engine POOL\nCOLL in ? done>=1 ! got+=1\nCOLL out "
          "? got>=1 ! got+=1\nWAIT got>=2\n.end\n",
      "w");
}

// Eight ranks a chip, one program. All the splits of a chip between the two axes, every collective, folded
// against every rank.
TEST(JobRun, OneRankForAllEqualsEveryRank) {
  const MachineConfig m = instance();
  for (const std::uint64_t tp : {2ULL, 4ULL, 8ULL}) {
    for (const char* op : {"all_reduce", "all_gather", "reduce_scatter"}) {
      const Job job = uniform_job(worker(2, op), {{"tp", tp}, {"fsdp", 32 / tp}});
      const double folded = to_us(run_folded(job, m).time);
      const double full = to_us(run_every_rank(job, m).time);
      EXPECT_NEAR(folded, full, 1e-3 * full) << tp << ' ' << op;
    }
  }
}

// One rank copies eleven times, the others once. A copy of 4096 columns cannot take less than 4096 / 4 cycles
// of 960 MHz (the fastest mode): ten more are 10.67 us, and every rank waits for the slowest.
TEST(JobRun, EveryRankWaitsForTheSlowest) {
  const MachineConfig m = instance();
  Job job = uniform_job(worker(1), {{"tp", 8}, {"fsdp", 4}});
  const JobResult even = run_every_rank(job, m);
  job.programs.push_back(worker(11));
  job.program_of[13] = 1;
  const JobResult uneven = run_every_rank(job, m);
  EXPECT_GE(to_us(uneven.time), to_us(even.time) + 10.66);
  for (const Picoseconds finish : uneven.finish) EXPECT_GE(to_us(finish), to_us(even.time) + 10.66);
}

std::string refusal(const Job& job) {
  try {
    run_every_rank(job, instance());
  } catch (const ProgramError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(JobRun, RanksMustFillTheMachine) {
  EXPECT_EQ(refusal(uniform_job(worker(1), {{"tp", 8}, {"fsdp", 2}})),
            "job: 16 ranks; trn2:instance seats 32, 8 a chip, and all must be taken");
}

// Ranks that take turns on two chips leave no order of chips that all groups share: all ranks are simulated.
TEST(JobRun, GroupsOverAnyChipsAreRunInFull) {
  Job job = uniform_job(worker(1), {{"tp", 16}, {"fsdp", 2}});
  for (std::uint64_t rank = 0; rank < 32; ++rank) job.seats.push_back(rank);
  std::swap(job.seats[0], job.seats[16]);  // a rank of the first group on the other group's chips
  EXPECT_EQ(why_not_folded(job, instance()), "axis tp: groups with unequal numbers of ranks on their chips");
  EXPECT_EQ(refusal(job), "accepted");
  EXPECT_THROW(run_folded(job, instance()), ProgramError);
}

}  // namespace
}  // namespace trn
