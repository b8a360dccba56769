// What instructions compute, against numbers worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "isa/assembler/assembler.h"
#include "isa/semantics/executor.h"
#include "isa/semantics/number.h"

namespace trn {
namespace {

// 1 + 2^-8 lies half way between the bf16 numbers 1 and 1 + 2^-7: ties go to even, down here, up from 1 + 3 x
// 2^-8.
TEST(Number, RoundsToNearestEven) {
  EXPECT_EQ(rounded(DType::kBf16, 1 + 1.0 / 256), 1);
  EXPECT_EQ(rounded(DType::kBf16, 1 + 3.0 / 256), 1 + 4.0 / 256);
  EXPECT_EQ(rounded(DType::kFp16, 2049), 2048);
  EXPECT_EQ(rounded(DType::kTf32, 1 + 1.0 / 2048), 1);
  EXPECT_EQ(rounded(DType::kTf32, 1 + 3.0 / 2048), 1 + 4.0 / 2048);
}

// Largest numbers: e4m3 with infinities 240, e4m3fn 448, e5m2 57344, e2m1 6. Beyond: infinity or saturation.
TEST(Number, KnowsItsLargestNumbers) {
  EXPECT_EQ(rounded(DType::kFp8E4M3, 240), 240);
  EXPECT_TRUE(std::isinf(rounded(DType::kFp8E4M3, 300)));
  EXPECT_EQ(rounded(DType::kFp8E4M3Fn, 448), 448);
  EXPECT_EQ(rounded(DType::kFp8E4M3Fn, 1000), 448);
  EXPECT_EQ(rounded(DType::kFp8E5M2, 57344), 57344);
  EXPECT_EQ(rounded(DType::kFp4E2M1X4, 7), 6);
  EXPECT_EQ(rounded(DType::kFp4E2M1X4, 0.25), 0);  // half way between 0 and 0.5
  EXPECT_EQ(rounded(DType::kInt8, 200), 127);
  EXPECT_EQ(rounded(DType::kUint16, -3), 0);
  EXPECT_EQ(rounded(DType::kE8M0, 5), 4);
}

// Smallest subnormals: fp16 2^-24, e4m3 2^-9, e5m2 2^-16.
TEST(Number, KeepsSubnormals) {
  EXPECT_EQ(rounded(DType::kFp16, std::ldexp(1.0, -24)), std::ldexp(1.0, -24));
  EXPECT_EQ(rounded(DType::kFp8E4M3, std::ldexp(1.0, -9)), std::ldexp(1.0, -9));
  EXPECT_EQ(rounded(DType::kFp8E5M2, std::ldexp(1.0, -16)), std::ldexp(1.0, -16));
  EXPECT_EQ(rounded(DType::kFp8E4M3, std::ldexp(1.0, -11)), 0);
}

// Every bit pattern of the small types survives the trip to a number and back.
TEST(Number, EveryPatternRoundTrips) {
  for (const DType dtype :
       {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp8E4M3Fn, DType::kBf16, DType::kFp16}) {
    const std::uint32_t patterns = size_of(dtype) == 1 ? 256 : 65536;
    for (std::uint32_t bits = 0; bits < patterns; ++bits) {
      std::uint8_t from[2] = {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8u)};
      const double value = decode(dtype, from);
      if (std::isnan(value)) continue;
      std::uint8_t to[2] = {0, 0};
      encode(dtype, value, to);
      EXPECT_TRUE(to[0] == from[0] && (size_of(dtype) == 1 || to[1] == from[1])) << bits;
    }
  }
}

// Runs the instructions of one engine on two partitions: a = [1 2 3 4; 5 6 7 8], b all 2, result r.
class Semantics : public testing::Test {
 protected:
  std::vector<double> run(const std::string& engine, const std::string& text,
                          const std::string& tables = "") {
    program_ = assemble(".target trn3\n.kernel k\n" + tables +
                            ".tensor a space=sbuf dtype=fp32 shape=[2,4]\n.tensor b space=sbuf dtype=fp32 "
                            "shape=[2,4]\n.tensor r space=sbuf dtype=fp32 shape=[2,8]\n.tensor s space=sbuf "
                            "dtype=fp32 shape=[2,1]\n.tensor p space=psum dtype=fp32 shape=[4,4]\n.engine " +
                            engine + "\n" + text + ".end\n",
                        "k");
    memory_ = std::make_unique<RankMemory>(program_);
    executor_ = std::make_unique<Executor>(*memory_, 4);
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 4; ++column) {
        put(0, row, column, 4 * row + column + 1);
        put(1, row, column, 2);
      }
    for (std::size_t e = 0; e < kEngineCount; ++e)
      for (const Node& node : program_.cores[0].streams[e])
        executor_->commit(executor_->read(0, static_cast<Engine>(e), node.instruction));
    return get(2, 4);
  }
  void put(std::uint32_t tensor, int row, int column, double value) {
    memory_->row(0, tensor, row).set(column, 0, value);
  }
  std::vector<double> get(std::uint32_t tensor, int columns, int rows = 2) {
    std::vector<double> out;
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        out.push_back(memory_->row(0, tensor, row).value(column, 0));
    return out;
  }
  Program program_;
  std::unique_ptr<RankMemory> memory_;
  std::unique_ptr<Executor> executor_;
};

using V = std::vector<double>;
const char* const kR = "r[0:2 | 0 | (1,4)]";

TEST_F(Semantics, ElementwiseArithmetic) {
  const std::string r = kR;
  EXPECT_EQ(run("DVE", "TT " + r + ", a, b op0=power\n"), (V{1, 4, 9, 16, 25, 36, 49, 64}));
  EXPECT_EQ(run("DVE", "TS " + r + ", a op0=multiply imm0=3 op1=subtract imm1=10 rev1=1\n"),
            (V{7, 4, 1, -2, -5, -8, -11, -14}));
  EXPECT_EQ(run("DVE", "STT " + r + ", a, b op0=subtract imm0=1 op1=multiply\n"),
            (V{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(run("ACT", "ACT " + r + ", a fn=square imm0=2 imm1=1\n"), (V{9, 25, 49, 81, 121, 169, 225, 289}));
  EXPECT_EQ(run("DVE", "FILL " + r + " imm0=5\nCPRED " + r + ", a, b\n"), (V{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(Semantics, RunningAndReducingRows) {
  const std::string r = kR;
  // r = 2 r + a from 0: 1, 4, 11, 26 and 5, 16, 39, 86.
  EXPECT_EQ(run("DVE", "SCAN " + r + ", b, a op0=multiply op1=add\n"), (V{1, 4, 11, 26, 5, 16, 39, 86}));
  EXPECT_EQ(run("DVE", "CUM " + r + ", a op0=multiply imm0=1 op1=add\n"), (V{1, 3, 6, 10, 5, 11, 18, 26}));
  run("DVE", "RED r[0:2 | 0 | (1,2)], a op0=add\n");
  EXPECT_EQ(get(2, 2), (V{3, 7, 11, 15}));
  run("DVE", "RED s, a op0=max rev0=1\n");
  EXPECT_EQ(get(3, 1), (V{-4, -8}));
  run("ACT", "ACT " + r + ", a fn=copy rc=reset\nACTRD s\n");
  EXPECT_EQ(get(3, 1), (V{10, 26}));
}

// Even elements 1, 3: mean 2, squares 2; odd 2, 4: mean 3, squares 2. Together mean 2.5, variance 5/4.
TEST_F(Semantics, BatchStatistics) {
  run("DVE", "BNS r[0:2 | 0 | (1,6)], a\n");
  EXPECT_EQ(get(2, 6, 1), (V{2, 2, 2, 2, 3, 2}));
  run("DVE", "BNS r[0:2 | 0 | (1,6)], a\nBNA b[0:2 | 0 | (1,2)], r[0:2 | 0 | (1,6)]\n");
  EXPECT_EQ(get(1, 2), (V{2.5, 1.25, 6.5, 1.25}));
}

// W = a as [K=2, M=4], X = b: every result is 2 (W[0][m] + W[1][m]) = 2 x (1 + 5), ...; twice with acc=1.
TEST_F(Semantics, MatmulAccumulates) {
  run("PE", "LDW a\nMM p, b\nMM p, b acc=1\n");
  EXPECT_EQ(get(4, 4, 4), (V{24, 24, 24, 24, 32, 32, 32, 32, 40, 40, 40, 40, 48, 48, 48, 48}));
}

TEST_F(Semantics, AccumulatingOntoNothingIsPoison) {
  run("PE", "LDW a\nMM p, b acc=1\n");
  EXPECT_EQ(executor_->poisoned_count(), 16u);
  run("DVE", "COPY b, r[0:2 | 4 | (1,4)]\n");
  EXPECT_EQ(executor_->poisoned_count(), 1u);
}

TEST_F(Semantics, GeneratorsAndShuffles) {
  const std::string r = kR;
  EXPECT_EQ(run("POOL", "GEN iota " + r + " t=g\n", ".table g = [7, 10, 2]\n"),
            (V{7, 9, 11, 13, 17, 19, 21, 23}));
  // Keeps x where partition - column >= 0.
  EXPECT_EQ(run("POOL", "GEN affine_select " + r + ", a t=g op0=is_ge imm0=-1\n", ".table g = [0, 1, -1]\n"),
            (V{1, -1, -1, -1, 5, 6, -1, -1}));
  std::string mask = ".table m = [1, 0";
  for (int i = 2; i < 32; ++i) mask += ", 255";
  EXPECT_EQ(run("DVE", "SHUF " + r + ", a t=m\n", mask + "]\n"), (V{5, 6, 7, 8, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace trn
