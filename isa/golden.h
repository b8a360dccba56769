// What a program should compute, as an expression over its HBM tensors: sums and products of matrices,
// element by element (a single row or column repeats), and functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/program.h"

namespace trn {

struct GoldenNode {
  enum class Kind : std::uint8_t { kNumber, kTensor, kFunction } kind = Kind::kNumber;
  double number = 0;
  std::uint32_t tensor = 0;
  std::string_view function;  // of kGoldenFunctions; + - * / have their sign
  std::vector<GoldenNode> arguments;
};

struct GoldenFunction {
  std::string_view name;
  std::size_t arguments;
  std::string_view meaning;
};
inline constexpr std::array kGoldenFunctions{
    GoldenFunction{"+", 2, "sum"},
    GoldenFunction{"-", 2, "difference"},
    GoldenFunction{"*", 2, "product, element by element"},
    GoldenFunction{"/", 2, "quotient"},
    GoldenFunction{"matmul", 2, "matrix product"},
    GoldenFunction{"transpose", 1, "rows become columns"},
    GoldenFunction{"softmax", 1, "of each row"},
    GoldenFunction{"rmsnorm", 1, "each row by its root mean square (epsilon 1e-6)"},
    GoldenFunction{"layernorm", 1, "each row less its mean, by its deviation (epsilon 1e-6)"},
    GoldenFunction{"row_sum", 1, "of each row, one column"},
    GoldenFunction{"row_max", 1, "of each row, one column"},
    GoldenFunction{"exp", 1, "exponential"},
    GoldenFunction{"log", 1, "logarithm"},
    GoldenFunction{"sqrt", 1, "square root"},
    GoldenFunction{"relu", 1, "max(x, 0)"},
    GoldenFunction{"sigmoid", 1, "1 / (1 + exp(-x))"},
    GoldenFunction{"silu", 1, "x sigmoid(x)"},
    GoldenFunction{"gelu", 1, "x (1 + erf(x / sqrt 2)) / 2"},
    GoldenFunction{"tanh", 1, "hyperbolic tangent"},
};

// ProgramError saying what is wrong and what is known.
GoldenNode parse_golden(const std::string& expression, const Program& program);

// "" or what is wrong with it.
std::string golden_problem(const Golden& golden, const Program& program);

// Does the expression use the tensor?
bool uses_tensor(const GoldenNode& node, std::uint32_t tensor);

}  // namespace trn
