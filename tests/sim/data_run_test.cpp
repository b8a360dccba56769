// Programs run on data: goldens, precision, sums the array may not add to.
#include "sim/functional/data_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "isa/assembler/assembler.h"
#include "sim/functional/golden_values.h"
#include "sim/functional/kernel_check.h"

namespace trn {
namespace {

MachineConfig machine(const std::string& name) { return parse_machine(load_machine_document(name), "chip"); }

Program sample(const std::string& from = "", const std::string& to = "") {
  std::string text = read_text_file("traces/samples/mm_db.tasm");
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return assemble(text, "f");
}

TEST(Golden, ACorrectProgramAgreesWithItsGolden) {
  const DataRunResult result = run_on_data(sample(), machine("trn2"));
  ASSERT_EQ(result.goldens.size(), 1u);
  EXPECT_TRUE(result.clean());
  // C is rounded to bf16: half a last place is 1/256, relative to |value| + rms less.
  EXPECT_LT(result.goldens[0].relative_error, 1.0 / 256);
  EXPECT_GT(result.goldens[0].relative_error, 1.0 / 2048);
}

TEST(Golden, AWrongProgramDoesNot) {
  const DataRunResult result = run_on_data(sample("acc=(k>0)", "acc=(k>1)"), machine("trn2"));
  EXPECT_FALSE(result.right());
}

// All elements exact: what is left are sums of 512 products in fp32, rounding errors of 2^-24 each.
TEST(Precision, Fp32LeavesNoRoundingOfNarrowTypes) {
  const DataRunResult result = run_on_data(sample(), machine("trn2"), {1, Precision::kFp32});
  EXPECT_LT(result.goldens[0].relative_error, 1e-5);
  EXPECT_TRUE(result.clean());
}

TEST(Golden, AShapeThatDoesNotFitIsTold) {
  EXPECT_THROW(run_on_data(sample("matmul(transpose(A), B)", "matmul(A, B)"), machine("trn2")), ProgramError);
}

TEST(Golden, MistakesInTheExpressionAreTold) {
  const auto error = [](const std::string& expression) {
    try {
      sample("matmul(transpose(A), B)", expression);
    } catch (const ProgramError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(error("matmull(A, B)").find("unknown function matmull; known: +"), std::string::npos);
  EXPECT_NE(error("matmul(A)").find("matmul takes 2 argument(s), found 1"), std::string::npos);
  EXPECT_NE(error("A + wa").find("a tensor in HBM, found wa"), std::string::npos);
  EXPECT_NE(error("(A").find("a bracket is not closed"), std::string::npos);
  EXPECT_NE(error("A B").find("unexpected 'B'"), std::string::npos);
}

// By hand on a = [1 2; 3 4], b = [10 20].
TEST(Golden, ExpressionsHaveTheirUsualMeaning) {
  Program p;
  p.tensors = {{"a", Space::kHbm, DType::kFp32, {2, 2}, 0}, {"b", Space::kHbm, DType::kFp32, {1, 2}, 0}};
  Matrix a(2, 2), b(1, 2);
  a.at = {1, 2, 3, 4};
  b.at = {10, 20};
  const auto value = [&](const std::string& text) {
    return golden_value(parse_golden(text, p), {{0, a}, {1, b}}).at;
  };
  EXPECT_EQ(value("matmul(a, transpose(b))"), (std::vector<double>{50, 110}));
  EXPECT_EQ(value("b - a * 2 / 4"), (std::vector<double>{9.5, 19, 8.5, 18}));
  EXPECT_EQ(value("row_sum(a) * (b + 1)"), (std::vector<double>{33, 63, 77, 147}));
  EXPECT_EQ(value("row_max(a)"), (std::vector<double>{2, 4}));
  EXPECT_EQ(value("relu(a - 2)"), (std::vector<double>{0, 0, 1, 2}));
  // 1/(1+e) and e/(1+e).
  EXPECT_NEAR(value("softmax(a)")[0], 1 / (1 + std::exp(1.0)), 1e-12);
  EXPECT_NEAR(value("softmax(a)")[3], std::exp(1.0) / (1 + std::exp(1.0)), 1e-12);
  // (3, 4): rms sqrt(12.5); mean 3.5, deviation 0.5.
  EXPECT_NEAR(value("rmsnorm(a)")[3], 4 / std::sqrt(12.5 + 1e-6), 1e-12);
  EXPECT_NEAR(value("layernorm(a)")[3], 0.5 / std::sqrt(0.25 + 1e-6), 1e-12);
  EXPECT_NEAR(value("silu(a)")[1], 2 / (1 + std::exp(-2.0)), 1e-12);
}

// The array adds onto a bank that Vector has filled.
DataRunResult add_onto_a_fill(const std::string& target) {
  return run_on_data(
      assemble(".target " + target +
                   "\n.tensor w space=sbuf dtype=bf16 shape=[128,128]\n.tensor p space=psum dtype=fp32 "
                   "shape=[128,128]\n.sem s, t\n.engine DVE\nFILL w, imm0=1 ! s+=1\nFILL p, imm0=1 ! s+=1\n"
                   ".end\n.engine PE\nLDW w ? s>=2\nMM p, w, acc=1 ! t+=1\n.end\n",
               "k"),
      machine(target));
}

TEST(Accumulate, OntoAnotherEnginesNumbersIsUndefinedBeforeV4) {
  EXPECT_FALSE(add_onto_a_fill("trn2").poisoned.empty());
  EXPECT_TRUE(add_onto_a_fill("trn3").clean());
}

}  // namespace
}  // namespace trn
