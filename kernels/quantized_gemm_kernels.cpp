// A gemm of bf16 matrices in FP8 or MX: quantising them, and multiplying the copies.
#include <cmath>

#include "base/error.h"
#include "kernels/builder/rank_builder.h"
#include "kernels/gemm.h"
#include "kernels/quantize_operand.h"
#include "kernels/registry.h"

namespace trn {
namespace {

constexpr double kFactor = 8;  // of the proofs' FP8 tensors

DType narrow(const KernelArguments& given) {
  const DType dtype = given.dtype("dtype");
  if (!is_fp8(dtype) && !is_mx(dtype)) throw UsageError("kernel: --dtype must be an fp8 or an x4 type");
  return dtype;
}
bool yes(const KernelArguments& given, const std::string& name) {
  return given.choice(name, {"no", "yes"}) == 1;
}

// A bf16 matrix of K x columns in HBM, and what its FP8 copy needs.
struct Source {
  Source(RankBuilder& rank, const std::string& name, std::uint64_t k, std::uint64_t columns, bool transposed,
         DType dtype)
      : from{rank.hbm(name, DType::kBf16, transposed ? columns : k, transposed ? k : columns), 0,
             transposed} {
    if (is_mx(dtype) && k % 128 != 0) throw UsageError("kernel: K in multiples of 128 for an x4 type");
    if (is_mx(dtype)) return;
    scaling.factors = rank.hbm(name + "_factors", DType::kFp32, 128, 2);
    scaling.largest = rank.hbm(name + "_largest", DType::kFp32, 128, rank.core_count());
  }
  QuantizeSource from;
  Fp8Scaling scaling;
};

void quantize(RankBuilder& rank, QuantizeOperand job) {
  rank.kernel("quantize", job.k, quantize_granule(job.dtype, rank.machine()),
              [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
                job.scaling.largest_column = begin == 0 ? 0 : 1;
                quantize_operand(core, job, begin, end);
              });
}

// The factor and its inverse, in all partitions.
Matrix factors() {
  return filled(128, 2, [](auto, std::uint64_t column) { return column == 0 ? kFactor : 1 / kFactor; });
}

// --- quantize_operand --------------------------------------------------------------------------------------

Program build_operand(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t k = given.positive("k"), columns = given.positive("columns");
  const DType dtype = narrow(given);
  RankBuilder rank(machine, "quantize_operand", cores);
  const Source source(rank, "x", k, columns, yes(given, "transposed"), dtype);
  quantize(rank, {source.from, declare_operand(rank.program(), "y", dtype, k, columns), dtype, k, columns,
                  source.scaling});
  return rank.take();
}

// K x columns of x.
double element(const KernelArguments& given, const Matrix& x, std::uint64_t k, std::uint64_t column) {
  return yes(given, "transposed") ? x(column, k) : x(k, column);
}

Matrices expect_fp8(const KernelArguments& given, const Matrix& x) {
  const double most = largest_number(narrow(given));
  Matrix y(given.positive("k"), given.positive("columns")), largest(128, 1);
  for (std::uint64_t k = 0; k < y.rows; ++k)
    for (std::uint64_t c = 0; c < y.columns; ++c) {
      const double value = element(given, x, k, c);
      y(k, c) = std::min(most, std::max(-most, value * kFactor));
      largest(k % 128, 0) = std::max(largest(k % 128, 0), std::fabs(value));
    }
  return {{"y", y}, {"x_largest", largest}};
}

// Four rows of K, a slab's quarter apart, are an element; 8 elements below each other share a scale, which
// lies in one of the first four of 32 rows; the rows between hold FILL's 0, which e8m0 makes one half.
Matrices expect_mx(const KernelArguments& given, const Matrix& x) {
  const std::uint64_t depth = given.positive("k"), columns = given.positive("columns");
  const DType dtype = narrow(given);
  const int top = dtype == DType::kFp4E2M1X4 ? 1 : dtype == DType::kFp8E5M2X4 ? 14 : 7;
  Matrix y(depth / 4, 4 * columns), scales = filled(depth / 4, columns, [](auto, auto) { return 0.5; });
  const auto value = [&](std::uint64_t row, std::uint64_t lane, std::uint64_t c) {
    const std::uint64_t slab = row / 128 * 512, quarter = std::min<std::uint64_t>(512, depth - slab) / 4;
    return element(given, x, slab + lane * quarter + row % 128, c);
  };
  for (std::uint64_t group = 0; group < y.rows; group += 8)
    for (std::uint64_t c = 0; c < columns; ++c) {
      double largest = 0;
      for (std::uint64_t i = 0; i < 32; ++i)
        largest = std::max(largest, std::fabs(value(group + i / 4, i % 4, c)));
      const double scale = std::exp2(std::floor(std::log2(largest)) - top);
      scales(group / 32 * 32 + group % 32 / 8, c) = scale;
      for (std::uint64_t i = 0; i < 32; ++i)
        y(group + i / 4, 4 * c + i % 4) = value(group + i / 4, i % 4, c) / scale;
    }
  return {{"y", y}, {"y_scales", scales}};
}

Matrices expect_operand(const KernelArguments& given, const Matrices& m) {
  return is_mx(narrow(given)) ? expect_mx(given, m.at("x")) : expect_fp8(given, m.at("x"));
}

Matrices operand_inputs(const KernelArguments& given) {
  return is_mx(narrow(given)) ? Matrices{} : Matrices{{"x_factors", factors()}};
}

// --- gemm_quantized ----------------------------------------------------------------------------------------

Program build_gemm(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t m = given.positive("m"), k = given.positive("k"), n = given.positive("n");
  const DType dtype = narrow(given);
  GemmOptions options;
  options.order = static_cast<GemmOrder>(given.choice("order", kGemmOrders));
  options.m_tiles = options.n_tiles = options.k_tiles = 2;
  options.passes = given.positive("passes");
  RankBuilder rank(machine, "gemm_quantized", cores);
  const Source a(rank, "A", k, m, yes(given, "a-transposed"), dtype),
      b(rank, "B", k, n, yes(given, "b-transposed"), dtype);
  GemmOperands x;
  x.m = m, x.k = k, x.n = n;
  x.dtype = dtype;
  x.c = rank.hbm("C", DType::kBf16, m, n);
  x.a_scaling = a.scaling, x.b_scaling = b.scaling;
  x.quantize_a = given.choice("quantize-a", {"apart", "inside"}) == 1;
  const auto copy = [&](const Source& source, const std::string& name, std::uint64_t columns) {
    const QuantizedOperand to = declare_operand(rank.program(), name, dtype, k, columns);
    quantize(rank, {source.from, to, dtype, k, columns, source.scaling});
    return to;
  };
  const QuantizedOperand narrow_b = copy(b, "narrow_B", n);
  x.b = narrow_b.values, x.b_scales = narrow_b.scales;
  if (x.quantize_a) {
    x.a = a.from.tensor, x.a_transposed = a.from.transposed;
  } else {
    const QuantizedOperand narrow_a = copy(a, "narrow_A", m);
    x.a = narrow_a.values, x.a_scales = narrow_a.scales;
  }
  rank.kernel("gemm", m, 128, [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
    x.a_scaling.largest_column = begin == 0 ? 0 : 1;
    gemm(core, x, options, begin, end);
  });
  rank.program().model_flops = 2 * m * k * n;
  return rank.take();
}

// Small integers, which every type holds exactly.
Matrices gemm_inputs(const KernelArguments& given) {
  const auto integers = [&](std::uint64_t rows, std::uint64_t columns, std::uint64_t salt) {
    return filled(rows, columns, [&](std::uint64_t r, std::uint64_t c) {
      return static_cast<double>((r * 7 + c * 13 + r * c % 11 + salt) % 7) - 3;
    });
  };
  const std::uint64_t m = given.positive("m"), k = given.positive("k"), n = given.positive("n");
  const bool at = yes(given, "a-transposed"), bt = yes(given, "b-transposed");
  Matrices out{{"A", integers(at ? m : k, at ? k : m, 1)}, {"B", integers(bt ? n : k, bt ? k : n, 4)}};
  if (!is_mx(narrow(given))) out["A_factors"] = out["B_factors"] = factors();
  return out;
}

Matrices expect_gemm(const KernelArguments& given, const Matrices& m) {
  const Matrix &a = m.at("A"), &b = m.at("B");
  const bool at = yes(given, "a-transposed"), bt = yes(given, "b-transposed");
  Matrix c(given.positive("m"), given.positive("n"));
  for (std::uint64_t k = 0; k < given.positive("k"); ++k)
    for (std::uint64_t i = 0; i < c.rows; ++i)
      for (std::uint64_t j = 0; j < c.columns; ++j)
        c(i, j) += (at ? a(i, k) : a(k, i)) * (bt ? b(j, k) : b(k, j));
  return {{"C", c}};
}

using Case = std::map<std::string, std::string>;

// Every type both ways round, whole and odd; the gemm in every order, and with A quantised inside.
std::vector<Case> operand_cases() {
  return {{{"k", "300"}, {"columns", "1100"}},
          {{"k", "384"}, {"columns", "200"}, {"transposed", "yes"}, {"dtype", "fp8_e5m2"}},
          {{"k", "640"}, {"columns", "1100"}, {"dtype", "fp8_e4m3fn_x4"}},
          {{"k", "640"}, {"columns", "600"}, {"transposed", "yes"}, {"dtype", "fp8_e5m2_x4"}},
          {{"k", "512"}, {"columns", "64"}, {"dtype", "fp4_e2m1_x4"}}};
}
std::vector<Case> gemm_cases() {
  std::vector<Case> out;
  for (const char* dtype : {"fp8_e4m3", "fp8_e4m3fn_x4", "fp4_e2m1_x4"}) {
    for (const std::string& order : kGemmOrders)
      out.push_back({{"m", "200"}, {"k", "1152"}, {"n", "600"}, {"order", order}, {"dtype", dtype}});
    for (const char* transposed : {"no", "yes"})
      out.push_back({{"m", "1200"},
                     {"passes", transposed == std::string("no") ? "1" : "2"},
                     {"k", "640"},
                     {"n", "600"},
                     {"dtype", dtype},
                     {"quantize-a", "inside"},
                     {"a-transposed", transposed},
                     {"b-transposed", transposed}});
  }
  return out;
}

}  // namespace

std::vector<KernelRow> quantized_gemm_kernels() {
  return {{"quantize_operand",
           "a gemm's operand, bf16, into FP8 with a factor known before, or MX",
           {{"k", "4096", "contraction; a multiple of 128 for MX"},
            {"columns", "4096", "columns"},
            {"transposed", "no", "yes: x is stored as columns x K"},
            {"dtype", "fp8_e4m3", "an fp8 or an x4 type"}},
           build_operand,
           {operand_cases(), operand_inputs, expect_operand}},
          {"gemm_quantized",
           "C[M,N] = transpose(A[K,M]) x B[K,N] of bf16 matrices, multiplied in FP8 or MX",
           {{"m", "4096", "rows of C"},
            {"k", "4096", "contraction; a multiple of 128 for MX"},
            {"n", "4096", "columns of C"},
            {"dtype", "fp8_e4m3", "an fp8 or an x4 type"},
            {"order", "stream", "inner, hoist_k, block_mn, block_mnk, stream"},
            {"quantize-a", "apart", "apart: into HBM before; inside: by the gemm (order stream)"},
            {"passes", "1", "order stream: 4 tiles of C in turn, so often, over resident columns of B"},
            {"a-transposed", "no", "yes: A is stored as [M,K]"},
            {"b-transposed", "no", "yes: B is stored as [N,K]"}},
           build_gemm,
           {gemm_cases(), gemm_inputs, expect_gemm}}};
}

}  // namespace trn
