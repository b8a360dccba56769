// Gemms that quantise their operands: the array's time, the bytes, and the data.
#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/registry.h"
#include "sim/functional/kernel_check.h"
#include "sim/run/simulation.h"

namespace trn {
namespace {

MachineConfig trn(const std::string& name, const std::vector<std::string>& sets = {}) {
  ConfigDocument document = load_machine_document(name);
  for (const std::string& set : sets) document.set(set);
  return parse_machine(document, "chip");
}

using Arguments = std::map<std::string, std::string>;

RunResult run_kernel(const std::string& name, const Arguments& arguments, const MachineConfig& machine) {
  const KernelRow& kernel = find_kernel(name);
  return run_program(kernel.build(kernel_arguments(kernel, arguments), machine, 1), machine);
}

constexpr std::uint64_t kM = 512, kK = 1024, kN = 1024;
constexpr std::uint64_t kFactors =
    1024;  // bytes: 128 partitions x (factor, inverse) x 4; the largest take half
const Arguments kShape{{"m", "512"}, {"k", "1024"}, {"n", "1024"}};

Arguments shape(const std::string& dtype, Arguments more = {}) {
  more.insert(kShape.begin(), kShape.end());
  more["dtype"] = dtype;
  return more;
}

// Cycles of 2.4 GHz the array is occupied, without the current limiter.
double array_cycles(const std::string& kernel, const Arguments& arguments,
                    std::vector<std::string> sets = {}) {
  sets.push_back("neuron_core.tensor.limiter_window_ns=0");
  const RunResult r = run_kernel(kernel, arguments, trn("trn3", sets));
  return to_us(r.engine(0, Engine::kTensor).stats.array_busy) * 2400;
}

// M = 512, K = 1024, N = 1024: 4 x 2 tiles of C, each a matmul of 512 + 8 cycles for every 128 (bf16), 256
// (FP8) or 512 rows of K (MX): 64, 32 and 16 matmuls.
TEST(QuantizedGemm, NarrowTypesHalveAndQuarterTheArraysTime) {
  EXPECT_NEAR(array_cycles("gemm", shape("bf16", {{"order", "stream"}})), 64 * 520, 1);
  for (const char* where : {"apart", "inside"}) {
    EXPECT_NEAR(array_cycles("gemm_quantized", shape("fp8_e4m3", {{"quantize-a", where}})), 32 * 520, 1);
    EXPECT_NEAR(array_cycles("gemm_quantized", shape("fp8_e4m3fn_x4", {{"quantize-a", where}})), 16 * 520, 1);
  }
}

// Three columns a cycle: 16 matmuls of 171 + 8 cycles; six of FP4: 86 + 8.
TEST(QuantizedGemm, ColumnsACycleAreTheWhatIfOfTrainium4) {
  EXPECT_NEAR(array_cycles("gemm_quantized", shape("fp8_e4m3fn_x4"),
                           {"neuron_core.tensor.mxfp8_columns_per_cycle=3"}),
              16 * 179, 1);
  EXPECT_NEAR(array_cycles(
                  "gemm_quantized", shape("fp4_e2m1_x4"),
                  {"neuron_core.tensor.mxfp4_columns_per_cycle=6", "neuron_core.vector.quantize_mxfp4=true"}),
              16 * 94, 1);
}

// A and B are read in bf16 once to be quantised, and, M being one block of 512, once more as they were
// written. FP8: a byte a value; 128 partitions x (factor, inverse) x 4 bytes for each quantising and twice
// for the gemm; 128 largest magnitudes of each. MX: a byte a value, and a byte of scale for every four.
TEST(QuantizedGemm, MovesTheBytesOfBothPasses) {
  const std::uint64_t values = kM * kK + kK * kN, c = 2 * kM * kN;
  const RunResult fp8 = run_kernel("gemm_quantized", shape("fp8_e4m3"), trn("trn2"));
  EXPECT_EQ(fp8.hbm_read.count(), 2 * values + values + 4 * kFactors);
  EXPECT_EQ(fp8.hbm_write.count(), values + kFactors + c);
  const RunResult mx = run_kernel("gemm_quantized", shape("fp8_e4m3fn_x4"), trn("trn3"));
  EXPECT_EQ(mx.hbm_read.count(), 2 * values + values * 5 / 4);
  EXPECT_EQ(mx.hbm_write.count(), values * 5 / 4 + c);
}

// Quantised inside, A's copy never sees HBM.
TEST(QuantizedGemm, InsideSavesTheWayThroughHbm) {
  const std::uint64_t a = kM * kK;
  const RunResult apart = run_kernel("gemm_quantized", shape("fp8_e4m3"), trn("trn2"));
  const RunResult inside =
      run_kernel("gemm_quantized", shape("fp8_e4m3", {{"quantize-a", "inside"}}), trn("trn2"));
  EXPECT_EQ(apart.hbm_read.count() - inside.hbm_read.count(), a);
  EXPECT_EQ(apart.hbm_write.count() - inside.hbm_write.count(), a);
  EXPECT_LT(inside.time, apart.time);
}

// 1024 rows of C are two blocks of 512, which read B twice, or one of two passes: K N = 1,048,576 values
// less, with their scales 1,310,720 bytes.
TEST(QuantizedGemm, TallerBlocksReadBLess) {
  Arguments tall = shape("fp8_e4m3fn_x4", {{"m", "1024"}, {"quantize-a", "inside"}});
  const RunResult one = run_kernel("gemm_quantized", tall, trn("trn3"));
  tall["passes"] = "2";
  const RunResult two = run_kernel("gemm_quantized", tall, trn("trn3"));
  EXPECT_EQ(one.hbm_read.count() - two.hbm_read.count(), 1'310'720u);
  EXPECT_EQ(one.hbm_write, two.hbm_write);
  EXPECT_EQ(one.array_flops, two.array_flops);
}

TEST(QuantizedGemm, FlopsAreTheSameInEveryType) {
  const std::uint64_t flops = 2 * kM * kK * kN;
  for (const char* dtype : {"fp8_e4m3", "fp8_e4m3fn_x4", "fp8_e5m2_x4"})
    EXPECT_EQ(run_kernel("gemm_quantized", shape(dtype), trn("trn3")).array_flops, flops) << dtype;
}

// QuantizeMX makes FP8 only; on a machine where it would make FP4 too, the kernels compute with it.
TEST(QuantizedGemm, Fp4NeedsAnEngineThatWritesIt) {
  const Arguments fp4{{"k", "512"}, {"columns", "64"}, {"dtype", "fp4_e2m1_x4"}};
  try {
    run_kernel("quantize_operand", fp4, trn("trn3"));
    FAIL() << "accepted";
  } catch (const ProgramError& error) {
    EXPECT_STREQ(error.what(),
                 "quantize_operand: core 0 DVE QMX: trn3 quantises to FP8 only; use an fp8 x4 type");
  }
  const MachineConfig able = trn("trn3", {"neuron_core.vector.quantize_mxfp4=true"});
  for (const char* name : {"quantize_operand", "gemm_quantized"}) {
    const KernelRow& kernel = find_kernel(name);
    for (const Arguments& given : kernel.proof.cases) {
      if (given.count("dtype") == 0 || given.at("dtype") != "fp4_e2m1_x4") continue;
      EXPECT_TRUE(check_kernel(kernel, kernel_arguments(kernel, given), able, 1).passed()) << name;
    }
  }
}

// Pairs of cores split K where they quantise, and M where they multiply.
TEST(QuantizedGemm, PairsAreRightAndClean) {
  const KernelRow& kernel = find_kernel("gemm_quantized");
  for (const char* dtype : {"fp8_e4m3", "fp8_e4m3fn_x4"})
    for (const char* where : {"apart", "inside"})
      EXPECT_TRUE(check_kernel(kernel,
                               kernel_arguments(kernel, {{"m", "300"},
                                                         {"k", "1152"},
                                                         {"n", "600"},
                                                         {"dtype", dtype},
                                                         {"quantize-a", where},
                                                         {"a-transposed", "yes"}}),
                               trn("trn3"), 2)
                      .passed())
          << dtype << ' ' << where;
}

}  // namespace
}  // namespace trn
