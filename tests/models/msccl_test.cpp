// MSCCL programs: what they compute, and what is refused.
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "base/text.h"
#include "models/interconnect/collectives/msccl/msccl_check.h"
#include "models/interconnect/collectives/msccl/msccl_reader.h"
#include "tests/support/msccl_machine.h"
#include "tests/support/msccl_text.h"

namespace trn {
namespace {

using namespace msccl_text;

MscclBytes run(const MscclProgram& program, std::uint64_t seed, MscclBytes& before) {
  std::mt19937_64 random(seed);
  const MscclOperations expanded = expand_msccl(program);
  before = random_msccl_bytes(expanded.memory, random);
  MscclBytes bytes = before;
  execute_msccl(expanded, bytes, random);
  return bytes;
}

TEST(Msccl, TheRingAllReduceOfTheSampleSums) {
  const MscclProgram program =
      read_msccl(read_text_file("traces/samples/msccl/ring_allreduce_8npus.xml"), "ring");
  const MscclOperations expanded = expand_msccl(program);
  // Eight ranks send each of 7 chunks to be reduced and 7 reduced ones; none waits in scratch.
  EXPECT_EQ(expanded.operations.size(), 8u * 14u);
  EXPECT_EQ(expanded.memory.chunks(0, MscclBuffer::kTemp), 0u);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    MscclBytes before;
    const MscclBytes after = run(program, seed, before);
    for (std::size_t chunk = 0; chunk < 8; ++chunk) {
      std::uint8_t sum = 0;
      for (const auto& rank : before) sum = static_cast<std::uint8_t>(sum + rank[0][chunk]);
      for (const auto& rank : after) EXPECT_EQ(rank[0][chunk], sum);
    }
  }
}

// Each of two ranks copies its chunk to its place of the output, and sends it to the other. The second thread
// block copies what arrived to scratch when the first says so.
std::string all_gather() {
  std::string gpus;
  for (int id = 0; id < 2; ++id) {
    const std::string mine = "o" + std::to_string(id), other = "o" + std::to_string(1 - id);
    gpus += gpu(id, block(0, 1 - id, 1 - id,
                          step(0, "s", "i0", mine) +
                              step(1, "r", "i0", other, R"(depid="-1" deps="-1" hasdep="1")")) +
                        block(1, -1, -1,
                              step(0, "cpy", "i0", mine) +
                                  step(1, "cpy", other, "s0", R"(depid="0" deps="1" hasdep="0")")));
  }
  return algo("allgather", 2, false, gpus);
}

TEST(Msccl, AnAllGatherOfTwoThreadBlocksGathers) {
  const MscclProgram program = read_msccl(all_gather(), "gather");
  MscclBytes before;
  const MscclBytes after = run(program, 1, before);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(after[rank][1], (std::vector<std::uint8_t>{before[0][0][0], before[1][0][0]}));
    EXPECT_EQ(after[rank][2][0], before[1 - rank][0][0]);
  }
}

// In place, rank r's input is chunk r of the output.
TEST(Msccl, AnAllGatherInPlaceStartsInsideTheOutput) {
  std::string gpus;
  for (int id = 0; id < 2; ++id)
    gpus += gpu(id, block(0, 1 - id, 1 - id,
                          step(0, "s", "i0", "o0") + step(1, "r", "i0", "o" + std::to_string(1 - id))));
  const MscclProgram program = read_msccl(algo("allgather", 2, true, gpus), "gather");
  MscclBytes before;
  const MscclBytes after = run(program, 1, before);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    ASSERT_EQ(after[rank][0].size(), 2u);
    EXPECT_EQ(after[rank][0], (std::vector<std::uint8_t>{before[0][0][0], before[1][0][1]}));
  }
}

// Both send the chunk that they then receive into. With FIFOs that ends; one copy each waits in scratch.
TEST(Msccl, RanksThatSwapNeedScratch) {
  std::string gpus;
  for (int id = 0; id < 2; ++id)
    gpus += gpu(id, block(0, 1 - id, 1 - id, step(0, "s", "i0", "i0") + step(1, "r", "i0", "i0")));
  const MscclProgram program = read_msccl(algo("alltoall", 2, true, gpus), "swap");
  MscclBytes before;
  const MscclBytes after = run(program, 1, before);
  EXPECT_EQ(expand_msccl(program).operations.size(), 4u);
  EXPECT_EQ(after[0][0][0], before[1][0][0]);
  EXPECT_EQ(after[1][0][0], before[0][0][0]);
}

TEST(Msccl, OperationsComputeWhatTheStepsSay) {
  std::mt19937_64 random(3);
  std::size_t stops = 0;
  for (int i = 0; i < 2000; ++i) {
    const MscclProgram program = random_msccl_program(random);
    const MscclOperations expanded = expand_msccl(program);
    const MscclBytes before = random_msccl_bytes(expanded.memory, random);
    MscclBytes expected = before, found = before;
    interpret_msccl(program, expected, random);
    execute_msccl(expanded, found, random);
    for (std::size_t rank = 0; rank < program.gpus.size(); ++rank)
      for (std::size_t buffer = 0; buffer < 3; ++buffer) {
        const std::size_t own = buffer == 2 ? program.gpus[rank].chunks[2] : found[rank][buffer].size();
        stops += found[rank][buffer].size() - own;
        expected[rank][buffer].resize(own);
        found[rank][buffer].resize(own);
      }
    ASSERT_EQ(found, expected) << "program " << i;
    for (std::size_t o = 0; o < expanded.operations.size(); ++o)
      for (const std::uint32_t other : expanded.operations[o].after) ASSERT_LT(other, o);
  }
  EXPECT_GT(stops, 100u);
}

struct BadFile {
  const char* name;
  const char* from;  // replaced once in the all-gather above
  const char* to;
  const char* message;  // part of it
};

class MscclRefuses : public testing::TestWithParam<BadFile> {};

TEST_P(MscclRefuses, WithPlaceAndRemedy) {
  std::string text = all_gather();
  const std::size_t at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string(GetParam().from).size(), GetParam().to);
  try {
    check_msccl(read_msccl(text, "a.xml"));
    FAIL() << "accepted";
  } catch (const ProgramError& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().message), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, MscclRefuses,
    testing::Values(
        BadFile{"Truncated", "</algo>", "", "a.xml: line 23: not XML"},
        BadFile{"Tag", "<gpu", "<cpu", "a.xml: <cpu>, expected <gpu>"},
        BadFile{"Text", "<tb", "x <tb", "a.xml: gpu 0: text \"x\""},
        BadFile{"StepType", "\"cpy\"", "\"copy\"",
                "a.xml: gpu 0 tb 1 step 0: type=\"copy\", expected one of s, r, rcs, rrc, rrs, rrcs, cpy, "
                "re, nop"},
        BadFile{"Buffer", "srcbuf=\"i\"", "srcbuf=\"x\"",
                "gpu 0 tb 0 step 0: srcbuf=\"x\", expected one of i, o, s"},
        BadFile{"Negative", "cnt=\"1\"", "cnt=\"-1\"",
                "gpu 0 tb 0 step 0: cnt=\"-1\", expected a whole number from 1 to 65536"},
        BadFile{"Huge", "srcoff=\"0\"", "srcoff=\"99999999999999999999\"",
                "step 0: srcoff=\"99999999999999999999\""},
        BadFile{"Missing", " cnt=\"1\"", "", "gpu 0 tb 0 step 0: no attribute cnt"},
        BadFile{"GpuTwice", "gpu id=\"1\"", "gpu id=\"0\"", "a.xml: gpu 0: is there twice"},
        BadFile{"GpuMissing", "ngpus=\"2\"", "ngpus=\"3\"", "a.xml: no gpu with id 2"},
        BadFile{"Step", "step s=\"1\"", "step s=\"2\"", "gpu 0 tb 0 step 1: s=\"2\", expected 1"},
        BadFile{"Peer", "send=\"1\"", "send=\"2\"",
                "gpu 0 tb 0: send=\"2\", expected another gpu, 0 to 1, or -1"},
        BadFile{"NoPeer", "send=\"1\"", "send=\"-1\"",
                "gpu 0 tb 0 step 0: sends, but its tb has send=\"-1\""},
        BadFile{"Range", "dstoff=\"1\"", "dstoff=\"2\"", "leaves buffer o, which has 2 chunks (o_chunks)"},
        BadFile{"NoBlock", "depid=\"0\"", "depid=\"7\"",
                "gpu 0 tb 1 step 1: depid=\"7\", but the gpu has 2 tbs"},
        BadFile{"NoStep", "deps=\"1\"", "deps=\"5\"", "gpu 0 tb 1 step 1: deps=\"5\", but tb 0 has 2 steps"},
        BadFile{"Silent", "hasdep=\"1\"", "hasdep=\"0\"",
                "waits for tb 0 step 1, which never says that it is done"},
        BadFile{"NoSend", "type=\"s\"", "type=\"nop\"",
                "gpu 1 tb 0 step 1 (r): receives from gpu 0 on channel 0, where nothing is left that sends"},
        BadFile{"NoReceive", "type=\"r\"", "type=\"nop\"",
                "gpu 1 tb 0 step 0 (s): sends to gpu 0 on channel 0, where nothing is left that receives"},
        BadFile{"Channel", R"(<tb id="1" send="-1" recv="-1" chan="0">
<step s="0" type="cpy" srcbuf="i" srcoff="0")",
                R"(<tb id="1" send="1" recv="-1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0")",
                "sends to gpu 1 on the channel of tb 0; give one of the two another chan"}),
    [](const auto& test) { return test.param.name; });

void expect_refused(const std::string& text, const std::string& message) {
  try {
    check_msccl(read_msccl(text, "a.xml"));
    FAIL() << "accepted";
  } catch (const ProgramError& error) {
    EXPECT_EQ(std::string(error.what()), message);
  }
}

TEST(Msccl, EndsOfATransferHaveOneCount) {
  const auto rank = [](int id, int sent, int received) {
    const std::string none = R"(depid="-1" deps="-1" hasdep="0")";
    return gpu(id, block(0, 1 - id, 1 - id,
                         step(0, "s", "o0", "o0", none, sent) + step(1, "r", "o0", "o0", none, received)));
  };
  expect_refused(
      algo("custom", 2, false, rank(0, 1, 1) + rank(1, 1, 2)),
      "a.xml: gpu 1 tb 0 step 1 (r): receives 2 chunks (cnt) of the 1 that gpu 0 tb 0 step 0 sends; "
      "they must be equal");
}

// Both receive before they send.
TEST(Msccl, StepsThatWaitForEachOtherAreNamed) {
  std::string gpus;
  for (int id = 0; id < 2; ++id)
    gpus += gpu(id, block(0, 1 - id, 1 - id, step(0, "r", "i0", "i0") + step(1, "s", "i0", "i0")));
  expect_refused(
      algo("custom", 2, false, gpus),
      "a.xml: steps wait for each other: gpu 0 tb 0 step 0 (r) waits for gpu 1 tb 0 step 1 (s) waits for "
      "gpu 1 tb 0 step 0 (r) waits for gpu 0 tb 0 step 1 (s) waits for gpu 0 tb 0 step 0; move a send "
      "before a receive in one of these tbs, or drop a depid");
}

TEST(Msccl, DeepNestingIsRefusedBeforeTheParserSeesIt) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "<a>";
  expect_refused(text, "a.xml: tags in tags in tags; an MSCCL file has four levels");
}

}  // namespace
}  // namespace trn
