// Whole programs: the sample kernel, deadlocks, rules.
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/text.h"
#include "isa/assembler/assembler.h"
#include "sim/run/simulation.h"
#include "traces/trace_file.h"

namespace trn {
namespace {

MachineConfig trn2(const std::vector<std::string>& sets = {}) {
  ConfigDocument document = load_machine_document("trn2");
  for (const std::string& set : sets) document.set(set);
  return parse_machine(document, "chip");
}

template <class Error>
std::string run_error(const std::string& text, const std::string& machine = "trn2") {
  try {
    run_program(assemble(text, "f"), parse_machine(load_machine_document(machine), "chip"));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

// Double-buffered matmul of traces/samples/mm_db.tasm: T = 16 K steps, two loads each, two slots. The loop
// around one slot, two steps apart: a step's MM reads its operands, both loads of step t+2 are triggered,
// arrive, and the MM of step t+2 runs:
//   semaphore hop 30 ns, making the descriptors of two loads 2 x 525 = 1050 ns, but the first byte of the
//   second comes 1000 ns after its trigger: 525 + 1000; moving 128 KiB: 8 x (5.5 + 1024/23) = 400 ns;
//   completion 300 ns; weights and multiply 32 + 2 x 520 cycles (limited) = 447 ns: about 30 + 525 + 1000 +
//   400 + 300 + 447 = 2.70 us
// for two steps in which the other slot's loads queue behind on the same descriptor unit. So a step takes at
// least 2 x 525 ns (descriptors), and about 1.35 to 1.6 us here: latency of two slots binds, not bandwidth.
TEST(SampleMatmul, IsLatencyBoundWithTwoSlots) {
  const RunResult r = run_program(assemble(read_text_file("traces/samples/mm_db.tasm"), "f"), trn2());
  const double step_us = to_us(r.time) / 16;
  EXPECT_GT(step_us, 1.35);
  EXPECT_LT(step_us, 1.65);
  EXPECT_EQ(r.array_flops, r.model_flops);
  // Two loads of 160 KiB a step and four stores of 128 KiB.
  EXPECT_EQ(r.dma_bytes.count(), 16u * 160 * 1024 + 4u * 128 * 1024);
  // Bandwidth hardly matters, latency does.
  const double fast_dma = to_us(run_program(assemble(read_text_file("traces/samples/mm_db.tasm"), "f"),
                                            trn2({"neuron_core.dma.engine_mb_per_s=4x"}))
                                    .time);
  const double low_latency = to_us(run_program(assemble(read_text_file("traces/samples/mm_db.tasm"), "f"),
                                               trn2({"neuron_core.dma.trigger_latency_ns=0.5x"}))
                                       .time);
  EXPECT_GT(fast_dma, 0.75 * to_us(r.time));
  EXPECT_LT(low_latency, 0.9 * to_us(r.time));
}

TEST(SampleMatmul, IsTheSameFromABinaryTrace) {
  const Program text = assemble(read_text_file("traces/samples/mm_db.tasm"), "f");
  const RunResult a = run_program(text, trn2());
  const RunResult b = run_program(read_trace(write_trace(text), "t"), trn2());
  EXPECT_EQ(a.time, b.time);
}

// The last thing that happens is ACT's POST. DVE's POST takes 16 cycles of 960 MHz, 16,666 ps, and is seen a
// hop of 30,000 later, at edge 56 of ACT's 1200 MHz; WAIT and POST are 16 cycles each: edge 88 is at 73,333
// ps.
TEST(Run, ADeadlockNamesWhoWaitsOnWhat) {
  EXPECT_EQ(run_error<DeadlockError>(".target trn2\n.kernel d\n.sem a, b\n.engine DVE\nPOST a+=1\nWAIT "
                                     "b>=2\n.end\n.engine ACT\nWAIT a>=1\nPOST b+=1\n.end\n"),
            "d: deadlock at 73,333 ps; core 0 DVE after 1 instructions, region main: waits for b>=2, it is 1 "
            "and can "
            "never get there: all posts of the program add up to 1");
}

// Three posts in a loop would do; each engine waits for the other first.
TEST(Run, ADeadlockThatOnlyOrderMakesIsNotBlamedOnTheCount) {
  const std::string error = run_error<DeadlockError>(
      ".target trn2\n.kernel d\n.sem a, b\n.engine DVE\n.for i in 0..3\nPOST a+=1 ? b>=3\n.endfor\n.end\n"
      ".engine ACT\n.for i in 0..3\nPOST b+=1 ? a>=1\n.endfor\n.end\n");
  EXPECT_NE(error.find("waits for b>=3, it is 0;"), std::string::npos) << error;
}

TEST(Run, RulesAreCheckedBeforeTimeStarts) {
  const std::string tensors =
      ".target trn2\n.kernel r\n.tensor a space=sbuf dtype=bf16 shape=[128,512]\n.tensor p space=psum "
      "dtype=fp32 shape=[128,512]\n";
  EXPECT_EQ(run_error<ProgramError>(tensors + ".engine POOL\nCOPY a, p\n.end\n"),
            "r: core 0 POOL COPY: p is in PSUM; GpSimd does not reach PSUM");
  EXPECT_EQ(run_error<ProgramError>(tensors + ".engine PE\nLDW a\n.end\n"),
            "r: core 0 PE LDW: 512 columns; the array has 128");
  EXPECT_EQ(run_error<ProgramError>(tensors + ".engine PE\nMM a, a\n.end\n"),
            "r: core 0 PE MM: the destination must be in PSUM");
  EXPECT_EQ(run_error<ProgramError>(tensors +
                                    ".engine DVE\nCOPY a[16:32 | 0 | (1,4)], a[0:32 | 0 | (1,4)]\n.end\n"),
            "r: core 0 DVE COPY: 32 partitions starting at 16; more than 64 start at 0, more than 32 at 0 or "
            "64, others at a multiple of 32");
  EXPECT_EQ(run_error<ProgramError>(".target trn1\n.kernel r\n"),
            "r: the program is for trn1, the machine is trn2; change .target or --machine");
  EXPECT_EQ(run_error<ProgramError>(".target trn1\n.kernel r\n.queue q engine=SP dge=hw\n", "trn1"),
            "r: q: trn1 has no hardware descriptor generation; use dge=static or dge=sw");
  EXPECT_EQ(run_error<CapacityError>(
                ".target trn2\n.kernel r\n.tensor a space=sbuf dtype=fp32 shape=[128,60000]\n"),
            "r: a: ends at byte 240000 of a partition; SBUF has 212984");
}

// Two matmuls of 512 columns on different quarters of the array run side by side, on the same one after
// another: the second starts a cycle after the first, or 520 (512 and a bubble of 8) later.
TEST(Run, PartsOfTheArrayRunSideBySide) {
  const auto time = [](const std::string& second) {
    const std::string text =
        ".target trn2\n.kernel t\n.tensor w space=sbuf dtype=bf16 shape=[128,64]\n.tensor x space=sbuf "
        "dtype=bf16 "
        "shape=[128,512]\n.tensor p space=psum dtype=fp32 shape=[128,1024]\n.engine PE\nLDW w[0:64 | 0 | "
        "(1,64)] "
        "tile=(0,0,64,64)\nLDW w[0:64 | 0 | (1,64)] tile=" +
        second +
        "\nMM p[0:64 | 0 | (1,512)], x[0:64 | 0 | (1,512)] tile=(0,0,64,64)\nMM p[64:64 | 512 | (1,512)], "
        "x[0:64 | 0 "
        "| (1,512)] tile=" +
        second + "\n.end\n";
    return run_program(assemble(text, "f"), trn2({"neuron_core.tensor.limiter_window_ns=0"})).time;
  };
  const Picoseconds beside = time("(64,64,64,64)");
  const Picoseconds after = time("(0,0,64,64)");
  EXPECT_NEAR(to_us(after) - to_us(beside), 519.0 / 2400,
              0.02);  // and a weight load of 16 cycles that hides or not
}

// 16 transposes of 128 x 128, 128 + 8 cycles each: 2176 one after another. Beside each other, the second
// issues 5 cycles (the fetch of 64 B at 33 GB/s) after the first, and each of the two ways takes 8: 5 + 8 *
// 136 = 1093 cycles. 1083 cycles less, at 2400 MHz.
TEST(BackgroundTranspose, AChainOfTransposesTakesHalfTheTime) {
  const Program p = assemble(
      ".target trn3\n.tensor a space=sbuf dtype=bf16 shape=[128,128]\n.tensor p space=psum dtype=bf16 "
      "shape=[128,8192]\n.engine PE\n.for i in 0..16\nTRP p[0:128 | 512*i | (1,128)], a\n.endfor\n.end\n",
      "k");
  const auto time = [&](const std::string& background) {
    ConfigDocument document = load_machine_document("trn3");
    document.set("neuron_core.tensor.limiter_window_ns=0");
    document.set("neuron_core.tensor.background_transpose=" + background);
    return run_program(p, parse_machine(document, "chip")).time;
  };
  EXPECT_EQ(time("false") - time("true"), Picoseconds(451'250));
}

}  // namespace
}  // namespace trn
