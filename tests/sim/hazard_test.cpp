// The hazard checker: a correct program is clean, one fault of each kind is found.
#include <gtest/gtest.h>

#include "base/text.h"
#include "isa/assembler/assembler.h"
#include "sim/functional/data_run.h"
#include "sim/functional/kernel_check.h"

namespace trn {
namespace {

MachineConfig trn2() { return parse_machine(load_machine_document("trn2"), "chip"); }

// The sample with some of its text replaced.
DataRunResult sample(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::string text = read_text_file("traces/samples/mm_db.tasm");
  for (const auto& [from, to] : changes) {
    EXPECT_NE(text.find(from), std::string::npos) << from;
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return run_on_data(assemble(text, "f"), trn2());
}

DataRunResult program(const std::string& body) {
  return run_on_data(
      assemble(".target trn2\n.kernel k\n.tensor h space=hbm dtype=fp32 shape=[128,64]\n.tensor a "
               "space=sbuf dtype=fp32 shape=[128,64]\n.tensor b space=sbuf dtype=fp32 "
               "shape=[128,64]\n.queue q engine=SP dge=hw\n.sem s, t\n" +
                   body,
               "k"),
      trn2());
}

bool found(const DataRunResult& result, const std::string& what) {
  for (const std::string& line : result.hazards)
    if (line.find(what) != std::string::npos) return true;
  return false;
}

TEST(Hazards, TheSampleIsClean) {
  const DataRunResult result = sample({});
  EXPECT_TRUE(result.clean()) << result.hazards.size() << ' ' << result.poisoned.size();
}

// Two loads in flight on one counter: 15 engines of the later step can stand in for one of the earlier,
// though in the run as it happened everything arrived in time.
TEST(Hazards, ASharedCounterIsARace) {
  const DataRunResult result = sample(
      {{"loaded[2]", "loaded"}, {"loaded[s]>=32*(t/2+1)", "loaded>=32*(t+1)"}, {"loaded[s]", "loaded"}});
  EXPECT_TRUE(
      found(result,
            "PE LDW (region multiply) reads wa without waiting: it is still to be written by core 0 SP DMA"));
}

TEST(Hazards, ASlotReusedBeforeItsReaderIsThrough) {
  const DataRunResult result = sample({{"? freed>=max(0,t-1)", ""}});
  EXPECT_TRUE(found(
      result, "SP DMA (region load) overwrites wa without waiting: it is still to be read by core 0 PE LDW"));
}

TEST(Hazards, AResultReadBeforeItIsThere) {
  const DataRunResult result = sample({{"? done>=o+1", ""}});
  EXPECT_TRUE(found(
      result, "ACT ACT (region drain) reads ps without waiting: it is still to be written by core 0 PE MM"));
}

// An engine's next instruction starts before the last one's result is visible.
TEST(Hazards, AnEngineWaitsForItsOwnResult) {
  const std::string fill = ".engine DVE\nFILL a imm0=1 ! s+=1\n";
  EXPECT_TRUE(program(fill + "COPY b, a ? s>=1\n.end\n").clean());
  EXPECT_TRUE(found(program(fill + "COPY b, a\n.end\n"), "DVE COPY (region main) reads a without waiting"));
}

// A post at read says that operands are consumed, not that the result is there.
TEST(Hazards, APostAtReadDoesNotPublishTheResult) {
  const std::string act = ".engine ACT\nACT b, a ? s>=1\n.end\n";
  EXPECT_TRUE(program(".engine DVE\nFILL a imm0=1 ! s+=1\n.end\n" + act).clean());
  EXPECT_TRUE(found(program(".engine DVE\nFILL a imm0=1 ! s+=1@read\n.end\n" + act),
                    "ACT ACT (region main) reads a"));
}

// Two posters: the wait may be met by either, so it orders neither, unless it needs both.
TEST(Hazards, AWaitThatEitherPosterMeetsOrdersNeither) {
  const std::string text =
      ".engine DVE\nFILL a imm0=1 ! s+=1\n.end\n.engine POOL\nFILL b imm0=1 ! s+=1\n.end\n.engine ACT\nACT "
      "a, b ? s>=";
  EXPECT_TRUE(found(program(text + "1\n.end\n"), "ACT ACT (region main) reads b"));
  EXPECT_TRUE(program(text + "2\n.end\n").clean());
}

TEST(Hazards, UnwrittenBytesAreReported) {
  const DataRunResult result = program(".engine DVE\nCOPY b, a\n.end\n");
  ASSERT_EQ(result.poisoned.size(), 1u);
  EXPECT_EQ(result.poisoned[0], "core 0 COPY in region main reads a, of which nobody has written all");
}

// Pairs of cores: each kernel's halves meet through the sibling's semaphore.
TEST(KernelCheck, PairsAreRightAndClean) {
  for (const char* name : {"gemm", "rmsnorm", "adamw", "flash_attention"}) {
    const KernelRow& kernel = find_kernel(name);
    const KernelCheckResult result =
        check_kernel(kernel, kernel_arguments(kernel, kernel.proof.cases.front()), trn2(), 2);
    EXPECT_TRUE(result.passed()) << name;
  }
}

// A wrong constant is seen: the reference is independent of the kernel.
TEST(KernelCheck, AWrongResultIsSeen) {
  KernelRow kernel = find_kernel("residual_add");
  const auto right = kernel.proof.expected;
  kernel.proof.expected = [&](const KernelArguments& arguments, const Matrices& given) {
    Matrices out = right(arguments, given);
    out["out"](3, 5) += 0.5;
    return out;
  };
  const KernelCheckResult result =
      check_kernel(kernel, kernel_arguments(kernel, {{"rows", "128"}, {"columns", "64"}}), trn2(), 1);
  ASSERT_EQ(result.tensors.size(), 1u);
  EXPECT_EQ(result.tensors[0].wrong, 1u);
  EXPECT_EQ(result.tensors[0].first_row, 3u);
  EXPECT_EQ(result.tensors[0].first_column, 5u);
}

}  // namespace
}  // namespace trn
