#include "sim/functional/golden_values.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.h"

namespace trn {
namespace {

constexpr double kEpsilon = 1e-6;

std::string shape(const Matrix& m) {
  return '[' + std::to_string(m.rows) + ", " + std::to_string(m.columns) + ']';
}

// A single row, column or number repeats.
Matrix elementwise(const Matrix& a, const Matrix& b, const std::string& name,
                   const std::function<double(double, double)>& op) {
  const auto fits = [](std::uint64_t x, std::uint64_t y) { return x == y || x == 1 || y == 1; };
  if (!fits(a.rows, b.rows) || !fits(a.columns, b.columns))
    throw ProgramError("golden: " + shape(a) + ' ' + name + ' ' + shape(b) + " do not fit");
  return filled(std::max(a.rows, b.rows), std::max(a.columns, b.columns),
                [&](std::uint64_t r, std::uint64_t c) {
                  return op(a(a.rows == 1 ? 0 : r, a.columns == 1 ? 0 : c),
                            b(b.rows == 1 ? 0 : r, b.columns == 1 ? 0 : c));
                });
}

Matrix mapped(const Matrix& a, double (*fn)(double)) {
  return filled(a.rows, a.columns, [&](std::uint64_t r, std::uint64_t c) { return fn(a(r, c)); });
}

Matrix product(const Matrix& a, const Matrix& b) {
  if (a.columns != b.rows) throw ProgramError("golden: matmul of " + shape(a) + " and " + shape(b));
  Matrix out(a.rows, b.columns);
  for (std::uint64_t i = 0; i < a.rows; ++i)
    for (std::uint64_t k = 0; k < a.columns; ++k)
      for (std::uint64_t j = 0; j < b.columns; ++j) out(i, j) += a(i, k) * b(k, j);
  return out;
}

// One number a row.
Matrix reduced(const Matrix& a, double start, const std::function<double(double, double)>& op) {
  return filled(a.rows, 1, [&](std::uint64_t r, std::uint64_t) {
    double value = start;
    for (std::uint64_t c = 0; c < a.columns; ++c) value = op(value, a(r, c));
    return value;
  });
}

Matrix row_max(const Matrix& a) {
  return reduced(a, -INFINITY, [](double x, double y) { return std::max(x, y); });
}
Matrix row_sum(const Matrix& a) { return reduced(a, 0, std::plus<>()); }
Matrix row_mean(const Matrix& a) {
  return elementwise(row_sum(a), filled(1, 1, [&](auto, auto) { return static_cast<double>(a.columns); }),
                     "/", std::divides<>());
}

Matrix softmax(const Matrix& a) {
  const Matrix weights =
      mapped(elementwise(a, row_max(a), "-", std::minus<>()), [](double x) { return std::exp(x); });
  return elementwise(weights, row_sum(weights), "/", std::divides<>());
}
Matrix rmsnorm(const Matrix& a) {
  const Matrix squares = row_mean(elementwise(a, a, "*", std::multiplies<>()));
  return elementwise(a, mapped(squares, [](double x) { return std::sqrt(x + kEpsilon); }), "/",
                     std::divides<>());
}
Matrix layernorm(const Matrix& a) { return rmsnorm(elementwise(a, row_mean(a), "-", std::minus<>())); }
Matrix transposed(const Matrix& a) {
  return filled(a.columns, a.rows, [&](std::uint64_t r, std::uint64_t c) { return a(c, r); });
}

Matrix unary(std::string_view name, const Matrix& a) {
  if (name == "transpose") return transposed(a);
  if (name == "softmax") return softmax(a);
  if (name == "rmsnorm") return rmsnorm(a);
  if (name == "layernorm") return layernorm(a);
  if (name == "row_sum") return row_sum(a);
  if (name == "row_max") return row_max(a);
  if (name == "exp") return mapped(a, [](double x) { return std::exp(x); });
  if (name == "log") return mapped(a, [](double x) { return std::log(x); });
  if (name == "sqrt") return mapped(a, [](double x) { return std::sqrt(x); });
  if (name == "relu") return mapped(a, [](double x) { return std::max(x, 0.0); });
  if (name == "sigmoid") return mapped(a, [](double x) { return 1 / (1 + std::exp(-x)); });
  if (name == "silu") return mapped(a, [](double x) { return x / (1 + std::exp(-x)); });
  if (name == "gelu") return mapped(a, [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); });
  if (name == "tanh") return mapped(a, [](double x) { return std::tanh(x); });
  TRN_CHECK(false, "a golden function without a meaning");
}

Matrix binary(std::string_view name, const Matrix& a, const Matrix& b) {
  if (name == "matmul") return product(a, b);
  if (name == "+") return elementwise(a, b, "+", std::plus<>());
  if (name == "-") return elementwise(a, b, "-", std::minus<>());
  if (name == "*") return elementwise(a, b, "*", std::multiplies<>());
  if (name == "/") return elementwise(a, b, "/", std::divides<>());
  TRN_CHECK(false, "a golden function without a meaning");
}

}  // namespace

Matrix golden_value(const GoldenNode& node, const std::map<std::uint32_t, Matrix>& tensors) {
  if (node.kind == GoldenNode::Kind::kNumber) return filled(1, 1, [&](auto, auto) { return node.number; });
  if (node.kind == GoldenNode::Kind::kTensor) return tensors.at(node.tensor);
  const Matrix first = golden_value(node.arguments[0], tensors);
  if (node.arguments.size() == 1) return unary(node.function, first);
  return binary(node.function, first, golden_value(node.arguments[1], tensors));
}

}  // namespace trn
