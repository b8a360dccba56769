// Microscaling formats of NeuronCore-v4: quantising, and the gemm that multiplies four values an element.
#include <cmath>

#include "base/error.h"
#include "kernels/builder/rank_builder.h"
#include "kernels/registry.h"
#include "kernels/row_block.h"

namespace trn {
namespace {

// HBM holds scales as SBUF does: of 32 rows the first four, one for each 8; the other rows are not used.
constexpr std::uint64_t kGroup = 8;

DType packed(const KernelArguments& given) {
  const DType dtype = given.dtype("dtype");
  if (!is_mx(dtype)) throw UsageError("kernel: --dtype must be fp8_e4m3fn_x4, fp8_e5m2_x4 or fp4_e2m1_x4");
  return dtype;
}

std::uint64_t scale_row(std::uint64_t row) { return row / 32 * 32 + row % 32 / kGroup; }

// --- quantize ------------------------------------------------------------------------------------------

Program build_quantize_mx(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t rows = given.positive("rows"), columns = given.positive("columns");
  if (rows % 32 != 0 || columns % 4 != 0)
    throw UsageError("kernel quantize_mx: --rows in multiples of 32, --columns of 4");
  const DType dtype = packed(given);
  RankBuilder rank(machine, "quantize_mx", cores);
  const Rows x{rank.hbm("x", DType::kBf16, rows, columns)}, y{rank.hbm("y", dtype, rows, columns / 4)},
      scales{rank.hbm("scales", DType::kE8M0, rows, columns / 4)};
  rank.kernel("quantize_mx", rows, kRows, [&](CoreBuilder& b, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t chunk = std::min<std::uint64_t>(kMaxChunk, columns);
    TilePool& in = b.sbuf_pool("quantize_in", DType::kBf16, chunk, 3);
    TilePool& out = b.sbuf_pool("quantize_out", dtype, chunk / 4, 3);
    TilePool& factors = b.sbuf_pool("quantize_scales", DType::kE8M0, chunk / 4, 3);
    for_blocks(b, begin, end, columns, chunk, [&](const Block& block) {
      const View row = block.load(in, x);
      const std::uint64_t count = row.pattern.elements_per_row() / 4;
      const std::uint64_t first = block.column() / 4;
      const View to = block.view(out.next(), 0, count), scale = block.view(factors.next(), 0, count);
      block.vector(Opcode::kFill, scale, {});
      b.quantize_mx(to, scale, row);
      block.store(y, to, first, count);
      block.store(scales, scale, first, count);
    });
  });
  return rank.take();
}

// The largest magnitude of 8 rows x 4 columns decides the scale; rows that hold no scale keep FILL's 0, which
// e8m0 makes one half.
Matrices expect_quantize(const KernelArguments& given, const Matrices& m) {
  const Matrix& x = m.at("x");
  const DType dtype = packed(given);
  const int top = dtype == DType::kFp4E2M1X4 ? 1 : dtype == DType::kFp8E5M2X4 ? 14 : 7;
  Matrix y(x.rows, x.columns), scales = filled(x.rows, x.columns / 4, [](auto, auto) { return 0.5; });
  for (std::uint64_t r = 0; r < x.rows; ++r)
    for (std::uint64_t c = 0; c < x.columns; ++c) {
      double largest = 0;
      for (std::uint64_t i = r / kGroup * kGroup; i < r / kGroup * kGroup + kGroup; ++i)
        for (std::uint64_t j = c / 4 * 4; j < c / 4 * 4 + 4; ++j)
          largest = std::max(largest, std::fabs(x(i, j)));
      const double scale = std::exp2(std::floor(std::log2(largest)) - top);
      scales(scale_row(r), c / 4) = scale;
      y(r, c) = x(r, c) / scale;
    }
  return {{"y", y}, {"scales", scales}};
}

// --- gemm ------------------------------------------------------------------------------------------------

// 1024 columns of B stay in SBUF with their scales, all of K deep; A passes by, 128 rows of C at a time.
struct MxGemm {
  CoreBuilder& b;
  HbmTensor a, a_scales, x, x_scales, c;
  DType dtype;

  static constexpr std::uint64_t kStay = 1024;
  std::uint64_t slabs = (a.rows + 127) / 128;

  static View part(Tile& tile, std::uint64_t first, std::uint64_t columns, std::uint64_t rows) {
    return View::columns(tile, first, columns, static_cast<std::uint32_t>(rows));
  }
  std::uint64_t depth(std::uint64_t slab) const { return std::min<std::uint64_t>(128, a.rows - 128 * slab); }

  struct Held {  // a slab of B and its scales
    Tile *values, *scales;
  };

  // All of K of 128 columns of A or its scales, slab beside slab: one transfer if everything is whole.
  void load_column(Tile& tile, HbmTensor from, std::uint64_t m, std::uint64_t rows) {
    if (a.rows % 128 == 0 && rows == 128) {
      b.load(part(tile, 0, slabs * 128, 128), {from, 0, a.rows, m, rows});
      return;
    }
    for (std::uint64_t k = 0; k < slabs; ++k)
      b.load(part(tile, k * 128, rows, depth(k)), {from, 128 * k, depth(k), m, rows});
  }

  void run(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t stay = std::min(kStay, x.columns);
    TilePool& psum = b.psum_pool("mx_psum", DType::kFp32, 512, 8);
    TilePool& out = b.sbuf_pool("mx_out", DType::kBf16, 512, 4);
    TilePool& passing = b.sbuf_pool("mx_a", dtype, 128 * slabs, 3);
    TilePool& passing_scales = b.sbuf_pool("mx_a_scales", DType::kE8M0, 128 * slabs, 3);
    const std::uint64_t slab_bytes = (stay * size_of(dtype) + 63) / 64 * 64 + (stay + 63) / 64 * 64;
    const std::size_t slots = slabs * (b.sbuf_free() / slab_bytes >= 2 * slabs ? 2 : 1);
    TilePool& staying = b.sbuf_pool("mx_b", dtype, stay, slots);
    TilePool& staying_scales = b.sbuf_pool("mx_b_scales", DType::kE8M0, stay, slots);
    std::vector<Held> next;
    const auto fetch = [&](std::uint64_t n0) {  // the next slab of these columns
      const std::uint64_t k = next.size();
      const std::uint64_t columns = std::min(stay, x.columns - n0);
      next.push_back({&staying.next(), &staying_scales.next()});
      b.load(part(*next[k].values, 0, columns, depth(k)), {x, 128 * k, depth(k), n0, columns});
      b.load(part(*next[k].scales, 0, columns, depth(k)), {x_scales, 128 * k, depth(k), n0, columns});
    };
    for (std::uint64_t n0 = 0; n0 < x.columns; n0 += stay) {
      const std::uint64_t wide = std::min(stay, x.columns - n0);
      while (next.size() < slabs) fetch(n0);
      const std::vector<Held> held = std::move(next);
      next.clear();
      for (std::uint64_t m = begin; m < end; m += 128) {
        const std::uint64_t rows = std::min<std::uint64_t>(128, end - m);
        Tile &weights = passing.next(), &weight_scales = passing_scales.next();
        load_column(weights, a, m, rows);
        load_column(weight_scales, a_scales, m, rows);
        for (std::uint64_t n = 0; n < wide; n += 512) {
          const std::uint64_t columns = std::min<std::uint64_t>(512, wide - n);
          Tile& sum = psum.next();
          for (std::uint64_t k = 0; k < slabs; ++k) {
            b.load_weights_mx(part(weights, 128 * k, rows, depth(k)),
                              part(weight_scales, 128 * k, rows, depth(k)));
            b.matmul_mx(part(sum, 0, columns, rows), part(*held[k].values, n, columns, depth(k)),
                        part(*held[k].scales, n, columns, depth(k)), k > 0, k + 1 == slabs);
          }
          const View to = part(out.next(), 0, columns, rows);
          b.compute(Engine::kVector, Opcode::kCopy, to, {part(sum, 0, columns, rows)});
          b.store({c, m, rows, n0 + n, columns}, to);
        }
        // The slabs of the next columns are fetched under these, spread over their rows.
        const std::uint64_t due = slabs * (m + 128 - begin) / (end - begin);
        while (slots > slabs && next.size() < std::min(due, slabs) && n0 + stay < x.columns) fetch(n0 + stay);
      }
    }
  }
};

Program build_gemm_mx(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t m = given.positive("m"), k = given.positive("k"), n = given.positive("n");
  if (k % 128 != 0 || m % 2 != 0) throw UsageError("kernel gemm_mx: --k in multiples of 128, --m even");
  const DType dtype = packed(given);
  RankBuilder rank(machine, "gemm_mx", cores);
  const HbmTensor a = rank.hbm("A", dtype, k / 4, m), a_scales = rank.hbm("A_scales", DType::kE8M0, k / 4, m),
                  b = rank.hbm("B", dtype, k / 4, n), b_scales = rank.hbm("B_scales", DType::kE8M0, k / 4, n),
                  c = rank.hbm("C", DType::kBf16, m, n);
  rank.kernel("gemm_mx", m, 128, [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
    MxGemm{core, a, a_scales, b, b_scales, c, dtype}.run(begin, end);
  });
  rank.program().model_flops = 2 * m * k * n;
  return rank.take();
}

Matrices gemm_inputs(const KernelArguments& given) {
  const std::uint64_t rows = given.positive("k") / 4;
  const auto scales = [&](std::uint64_t columns, std::uint64_t salt) {
    return filled(rows, columns, [&](std::uint64_t r, std::uint64_t c) {
      return std::exp2(static_cast<double>((r * 5 + c * 3 + salt) % 7) - 3);
    });
  };
  return {{"A_scales", scales(given.positive("m"), 1)}, {"B_scales", scales(given.positive("n"), 2)}};
}

// Lane l of row r is K = 4 r + l.
Matrices expect_gemm(const KernelArguments& given, const Matrices& m) {
  const Matrix &a = m.at("A"), &b = m.at("B"), &as = m.at("A_scales"), &bs = m.at("B_scales");
  const std::uint64_t rows = given.positive("k") / 4;
  Matrix c(given.positive("m"), given.positive("n"));
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t i = 0; i < c.rows; ++i)
      for (std::uint64_t j = 0; j < c.columns; ++j) {
        double sum = 0;
        for (std::uint64_t lane = 0; lane < 4; ++lane) sum += a(r, 4 * i + lane) * b(r, 4 * j + lane);
        c(i, j) += sum * as(scale_row(r), i) * bs(scale_row(r), j);
      }
  return {{"C", c}};
}

}  // namespace

std::vector<KernelRow> mx_kernels() {
  return {{"quantize_mx",
           "bf16 into a microscaling type and its e8m0 scales",
           {{"rows", "4096", "a multiple of 32"},
            {"columns", "4096", "a multiple of 4"},
            {"dtype", "fp8_e4m3fn_x4", "an x4 type"}},
           build_quantize_mx,
           {{{{"rows", "160"}, {"columns", "300"}},
             {{"rows", "128"}, {"columns", "512"}, {"dtype", "fp8_e5m2_x4"}},
             {{"rows", "64"}, {"columns", "64"}, {"dtype", "fp4_e2m1_x4"}}},
            {},
            expect_quantize}},
          {"gemm_mx",
           "C[M,N] = transpose(A) x B of microscaling operands, four values of K an element",
           {{"m", "4096", "rows of C"},
            {"k", "4096", "contraction, a multiple of 128"},
            {"n", "4096", "columns of C"},
            {"dtype", "fp8_e4m3fn_x4", "an x4 type"}},
           build_gemm_mx,
           {{{{"m", "200"}, {"k", "640"}, {"n", "600"}},
             {{"m", "128"}, {"k", "512"}, {"n", "512"}, {"dtype", "fp4_e2m1_x4"}},
             {{"m", "64"}, {"k", "128"}, {"n", "100"}, {"dtype", "fp8_e5m2_x4"}}},
            gemm_inputs,
            expect_gemm}}};
}

}  // namespace trn
