// MSCCL programs as schedules: they move the right bytes, and refuse files for something else.
#include "models/interconnect/collectives/msccl/msccl_schedule.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/text.h"
#include "models/interconnect/collectives/msccl/msccl_reader.h"
#include "models/interconnect/collectives/schedule/data_run.h"
#include "tests/support/msccl_machine.h"
#include "tests/support/msccl_text.h"

namespace trn {
namespace {

using namespace msccl_text;

std::string sample() { return read_text_file("traces/samples/msccl/ring_allreduce_8npus.xml"); }

CollectiveTask task_of(CollectiveOp op, std::uint64_t bytes, std::uint64_t granule = 1) {
  CollectiveTask task;
  task.op = op;
  task.bytes = bytes;
  task.granule = granule;
  return task;
}

// Each of 8 ranks sends 7 chunks to be added and 7 sums, one step each: additions ride on what is sent next,
// and no rank needs to be told what it may overwrite.
TEST(MscclSchedule, TheSampleIsARingOfFourteenStepsARank) {
  const Schedule schedule =
      msccl_schedule(read_msccl(sample(), "ring"), task_of(CollectiveOp::kAllReduce, 1 << 20), 8);
  ASSERT_EQ(schedule.steps.size(), 8u * 14u);
  for (std::uint32_t s = 0; s < schedule.steps.size(); ++s)
    EXPECT_EQ(schedule.bytes(schedule.steps[s], schedule.steps[s].executors[0]), (1u << 20) / 8);
}

// The first 1013, 3 ... bytes are the collective's; chunks are padded behind them.
TEST(MscclSchedule, TheSampleSumsBytesOfAnyNumber) {
  const MscclProgram program = read_msccl(sample(), "ring");
  std::mt19937 random(11);
  for (const std::uint64_t granule : {1u, 2u, 4u})
    for (const std::uint64_t bytes : {0u, 3u, 64u, 800u, 1013u, 4097u}) {
      const Schedule schedule = msccl_schedule(program, task_of(CollectiveOp::kAllReduce, bytes, granule), 8);
      RankBytes input(8, std::vector<std::uint8_t>(bytes + 8 * granule));
      for (auto& rank : input)
        for (std::uint8_t& byte : rank) byte = static_cast<std::uint8_t>(random());
      ScheduleDataRun run(schedule, input, RankBytes(8));
      run.run(random);
      for (std::uint64_t i = 0; i < bytes; ++i) {
        std::uint8_t sum = 0;
        for (const auto& rank : input) sum = static_cast<std::uint8_t>(sum + rank[i]);
        for (const auto& rank : run.input()) ASSERT_EQ(rank[i], sum) << bytes << " bytes, byte " << i;
      }
    }
}

// Against the interpreter of thread blocks and FIFOs, a byte a chunk.
TEST(MscclSchedule, MovesWhatTheStepsSay) {
  std::mt19937_64 random(7);
  std::mt19937 order(8);
  std::size_t flags = 0;
  for (int i = 0; i < 2000; ++i) {
    const MscclProgram program = random_msccl_program(random);
    const Schedule schedule = msccl_schedule(program, 1);
    MscclBytes expected = random_msccl_bytes(MscclMemory(program), random);
    RankBytes input, output, scratch;
    for (auto& rank : expected) {
      input.push_back(rank[0]);
      output.push_back(rank[1]);
      scratch.push_back(rank[2]);
      scratch.back().resize(schedule.layout.bytes() +
                            rank[2].size());  // what is received to be added goes there
    }
    interpret_msccl(program, expected, random);
    ScheduleDataRun run(schedule, input, output, scratch);
    run.run(order);
    for (std::size_t rank = 0; rank < expected.size(); ++rank) {
      ASSERT_EQ(run.input()[rank], expected[rank][0]) << "program " << i;
      ASSERT_EQ(run.output()[rank], expected[rank][1]) << "program " << i;
      for (std::size_t c = 0; c < expected[rank][2].size(); ++c)
        ASSERT_EQ(run.scratch()[rank][c], expected[rank][2][c]) << "program " << i;
    }
    for (std::uint32_t s = 0; s < schedule.steps.size(); ++s)
      flags += schedule.bytes(schedule.steps[s], schedule.steps[s].executors[0]) == 0 ? 1 : 0;
  }
  EXPECT_GT(flags, 100u);
}

// Gpu 1 copies its output away before gpu 0 may write there: it tells gpu 0 when it has, with a flag.
TEST(MscclSchedule, WhoStillNeedsItsMemorySaysWhenItDoesNot) {
  const std::string text =
      algo("custom", 2, false,
           gpu(0, block(0, 1, -1, step(0, "s", "i0", "o0"))) +
               gpu(1, block(0, -1, -1, step(0, "cpy", "o0", "s0", R"(depid="-1" deps="-1" hasdep="1")")) +
                          block(1, -1, 0, step(0, "r", "i0", "o0", R"(depid="0" deps="0" hasdep="0")"))));
  const Schedule schedule = msccl_schedule(read_msccl(text, "late"), 100);
  ASSERT_EQ(schedule.steps.size(), 3u);
  const Step& flag = schedule.steps[1];
  EXPECT_EQ(flag.executors, std::vector<std::uint32_t>{1});
  EXPECT_EQ(schedule.bytes(flag, 1), 0u);
  EXPECT_EQ(schedule.resolve(flag.destinations[0].at, 1), 0u);
  ASSERT_EQ(schedule.steps[2].received.size(), 1u);
  EXPECT_EQ(schedule.steps[2].received[0].step, 1u);
}

std::string refusal(const std::string& text, const CollectiveTask& task, std::uint32_t ranks = 8) {
  try {
    msccl_schedule(read_msccl(text, "a.xml"), task, ranks);
  } catch (const ProgramError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MscclSchedule, FilesForSomethingElseAreRefused) {
  EXPECT_EQ(refusal(sample(), task_of(CollectiveOp::kAllReduce, 64)), "accepted");
  EXPECT_EQ(refusal(sample(), task_of(CollectiveOp::kAllGather, 64)),
            "a.xml: coll=\"allreduce\", expected \"allgather\" for all_gather; ask for the file's operation "
            "or take "
            "another file");
  EXPECT_EQ(refusal(sample(), task_of(CollectiveOp::kPermute, 64)),
            "a.xml: MSCCL has no permute; choose another algorithm");
  EXPECT_EQ(refusal(sample(), task_of(CollectiveOp::kAllReduce, 64), 16),
            "a.xml: ngpus=\"8\", but the group has 16 ranks; name as many ranks as the file has gpus");
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

// A chunk received without being added: gpu 0 then passes on what is not the sum of all.
TEST(MscclSchedule, FilesThatDoNotDoWhatTheySayAreRefused) {
  EXPECT_EQ(refusal(with(sample(), "\"rrc\"", "\"r\""), task_of(CollectiveOp::kAllReduce, 64)),
            "a.xml: gpu 0 ends with wrong data in chunk 7 of buffer i; all_reduce expects those of all gpus, "
            "summed "
            "up there; look at the steps that write it");
  EXPECT_EQ(
      refusal(with(sample(), "nchunksperloop=\"8\"", "nchunksperloop=\"9\""),
              task_of(CollectiveOp::kAllReduce, 64)),
      "a.xml: gpu 0: buffer i has 8 chunks, but allreduce of 9 (nchunksperloop) needs chunk 8 of it; raise "
      "i_chunks");
}

// Two ranks; each sends the other its chunk. Out of place, an all-gather of 2 chunks.
std::string exchange(const std::string& coll, int chunks_per_loop, const std::string& from,
                     const std::string& to) {
  std::string gpus;
  for (int id = 0; id < 2; ++id) {
    const auto chunk = [&](const std::string& place) {
      return place.substr(0, 1) + (place.size() < 2  ? "0"
                                   : place[1] == 'm' ? std::to_string(id)
                                                     : std::to_string(1 - id));
    };
    gpus += gpu(id, block(0, 1 - id, 1 - id, step(0, "s", chunk(from), "o0") + step(1, "r", "i0", chunk(to))),
                "i_chunks='2' o_chunks='2' s_chunks='0'");
  }
  return algo(coll, 2, false, gpus, chunks_per_loop);
}

// "im": the chunk with the rank's own number, "oy": with the other's.
TEST(MscclSchedule, OperationsSayWhereChunksMustGo) {
  EXPECT_EQ(refusal(exchange("allgather", 2, "im", "oy"), task_of(CollectiveOp::kAllGather, 10), 2),
            "accepted");
  EXPECT_EQ(refusal(exchange("custom", 2, "im", "oy"), task_of(CollectiveOp::kAllGather, 10), 2), "accepted");
  EXPECT_EQ(refusal(exchange("alltoall", 2, "iy", "oy"), task_of(CollectiveOp::kAllToAll, 10), 2),
            "accepted");
  EXPECT_EQ(refusal(exchange("alltoall", 2, "im", "oy"), task_of(CollectiveOp::kAllToAll, 10), 2),
            "a.xml: gpu 0 ends with wrong data in chunk 1 of buffer o; all_to_all expects those of gpu 1 "
            "there; look "
            "at the steps that write it");
  EXPECT_EQ(
      refusal(exchange("alltoall", 1, "iy", "oy"), task_of(CollectiveOp::kAllToAll, 10), 2),
      "a.xml: nchunksperloop=\"1\", expected a multiple of the 2 gpus, each of which has the same part");
  EXPECT_EQ(refusal(exchange("broadcast", 1, "i", "o"), task_of(CollectiveOp::kBroadcast, 10), 2),
            "accepted");
  EXPECT_EQ(refusal(exchange("scatter", 2, "iy", "om"), task_of(CollectiveOp::kScatter, 10), 2), "accepted");
  EXPECT_EQ(refusal(exchange("gather", 1, "im", "oy"), task_of(CollectiveOp::kGather, 10), 2), "accepted");
}

}  // namespace
}  // namespace trn
