// Gemms with something around them: batches, low-rank updates, a norm in front.
#include <cmath>

#include "base/error.h"
#include "kernels/builder/rank_builder.h"
#include "kernels/gemm.h"
#include "kernels/registry.h"
#include "kernels/row_block.h"

namespace trn {
namespace {

const std::vector<KernelArgument> kBlocks{
    {"order", "block_mnk", "inner, hoist_k, block_mn, block_mnk, stream"},
    {"m-tiles", "16", "block size in tiles of 128"},
    {"n-tiles", "2", "block size in tiles of 512"},
    {"k-tiles", "8", "block size in tiles of 128"}};

std::vector<KernelArgument> with_blocks(std::vector<KernelArgument> arguments) {
  arguments.insert(arguments.end(), kBlocks.begin(), kBlocks.end());
  return arguments;
}

GemmOptions options_of(const KernelArguments& given) {
  GemmOptions options;
  options.order = static_cast<GemmOrder>(given.choice("order", kGemmOrders));
  options.m_tiles = given.positive("m-tiles");
  options.n_tiles = given.positive("n-tiles");
  options.k_tiles = given.positive("k-tiles");
  return options;
}

// rows [first, first + m) of the result += transpose(a rows) x b rows.
void add_product(Matrix& c, std::uint64_t first, const Matrix& a, std::uint64_t a_row, const Matrix& b,
                 std::uint64_t b_row, std::uint64_t k) {
  for (std::uint64_t i = 0; i < k; ++i)
    for (std::uint64_t m = 0; m < a.columns; ++m)
      for (std::uint64_t n = 0; n < b.columns; ++n) c(first + m, n) += a(a_row + i, m) * b(b_row + i, n);
}

// --- batched gemm: the matrices of the batch lie below each other ---------------------------------------

Program build_batched(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t batch = given.positive("batch"), m = given.positive("m"), k = given.positive("k"),
                      n = given.positive("n");
  const DType dtype = given.dtype("dtype");
  RankBuilder rank(machine, "bmm", cores, SbufBudget::kWhole);
  GemmOperands x = gemm_operands(rank.hbm("A", dtype, batch * k, m), rank.hbm("B", dtype, batch * k, n),
                                 rank.hbm("C", dtype, batch * m, n), dtype, dtype);
  x.k = k;
  for (std::uint64_t b = 0; b < batch; ++b) {
    x.a_row = x.b_row = b * k;
    x.c_row = b * m;
    rank.kernel("bmm", m, 128, [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
      gemm(core, x, options_of(given), begin, end);
    });
  }
  rank.program().model_flops = 2 * batch * m * k * n;
  return rank.take();
}

KernelRow batched_kernel() {
  return {"bmm",
          "C[b] = transpose(A[b]) x B[b] for a batch",
          with_blocks({{"batch", "16", "matrices"},
                       {"m", "4096", "rows of a C"},
                       {"k", "64", "contraction"},
                       {"n", "4096", "columns of a C"},
                       {"dtype", "bf16", "of A, B and C"}}),
          build_batched,
          {{{{"batch", "3"}, {"m", "130"}, {"k", "64"}, {"n", "600"}, {"dtype", "fp32"}},
            {{"batch", "2"}, {"m", "256"}, {"k", "200"}, {"n", "300"}, {"order", "stream"}}},
           {},
           [](const KernelArguments& given, const Matrices& m) {
             const std::uint64_t batch = given.positive("batch"), rows = given.positive("m"),
                                 k = given.positive("k");
             Matrix c(batch * rows, m.at("B").columns);
             for (std::uint64_t b = 0; b < batch; ++b)
               add_product(c, b * rows, m.at("A"), b * k, m.at("B"), b * k, k);
             return Matrices{{"C", c}};
           }}};
}

// --- LoRA: y = x W + (x A) B. x A lands below x, and B lies below W, so that one contraction does both ----

Program build_lora(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t m = given.positive("m"), k = given.positive("k"), n = given.positive("n"),
                      r = given.positive("rank");
  const DType dtype = given.dtype("dtype");
  RankBuilder rank(machine, "lora_gemm", cores, SbufBudget::kWhole);
  const HbmTensor x = rank.hbm("x", dtype, k + r, m), w = rank.hbm("w", dtype, k + r, n),
                  a = rank.hbm("a", dtype, k, r), y = rank.hbm("y", dtype, m, n);
  GemmOperands down = gemm_operands(a, x, x, dtype, dtype);
  down.k = k;
  down.c_row = k;
  const auto run = [&](const GemmOperands& operands, const char* region) {
    rank.kernel(region, operands.m, 128, [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
      gemm(core, operands, options_of(given), begin, end);
    });
  };
  run(down, "lora_down");
  run(gemm_operands(x, w, y, dtype, dtype), "lora_gemm");
  rank.program().model_flops = 2 * m * (k * n + k * r + r * n);
  return rank.take();
}

// The rows of x that the kernel fills start as anything.
Matrices expect_lora(const KernelArguments& given, const Matrices& m) {
  const std::uint64_t k = given.positive("k"), r = given.positive("rank");
  Matrix x = m.at("x");
  Matrix low(r, x.columns);
  add_product(low, 0, m.at("a"), 0, x, 0, k);
  for (std::uint64_t i = 0; i < r; ++i)
    for (std::uint64_t c = 0; c < x.columns; ++c) x(k + i, c) = low(i, c);
  Matrix y(x.columns, m.at("w").columns);
  add_product(y, 0, x, 0, m.at("w"), 0, k + r);
  return {{"y", y}};
}

KernelRow lora_kernel() {
  return {"lora_gemm",
          "y = x W + (x A) B in two contractions",
          with_blocks({{"m", "4096", "tokens"},
                       {"k", "5120", "features in"},
                       {"n", "12288", "features out"},
                       {"rank", "128", "of the update"},
                       {"dtype", "bf16", "of all"}}),
          build_lora,
          {{{{"m", "200"}, {"k", "256"}, {"n", "300"}, {"rank", "16"}},
            {{"m", "128"}, {"k", "300"}, {"n", "512"}, {"rank", "128"}, {"dtype", "fp32"}}},
           {},
           expect_lora}};
}

// --- a norm in front: a token's 1/deviation is a factor of its row of the result ---------------------------

enum class Norm { kRms, kLayer };

class NormGemm {
 public:
  NormGemm(CoreBuilder& b, Norm norm, HbmTensor x, HbmTensor w, HbmTensor y, DType dtype)
      : b_(b), norm_(norm), x_(x), w_(w), y_(y), dtype_(dtype), slabs_((x.columns + 127) / 128) {}

  void run(std::uint64_t begin, std::uint64_t end) {
    TilePool& in = b_.sbuf_pool("norm_in", dtype_, x_.columns, 2);
    TilePool& squares = b_.sbuf_pool("norm_squares", dtype_, x_.columns, 1);
    TilePool& small = b_.sbuf_pool("norm_small", DType::kFp32, moment_columns(x_.columns), 4);
    TilePool& turned = b_.sbuf_pool("norm_turned", dtype_, 128 * slabs_, 2);
    TilePool& flips = b_.psum_pool("norm_flips", dtype_, 128, 4);
    psum_ = &b_.psum_pool("norm_psum", DType::kFp32, 512, 4);
    out_ = &b_.sbuf_pool("norm_out", dtype_, 512, 4);
    weights_ = &b_.sbuf_pool("norm_weights", dtype_, w_.columns, slabs_);
    for (std::uint64_t k = 0; k < slabs_; ++k) {
      Tile& tile = weights_->next();
      b_.load(View::columns(tile, 0, w_.columns, static_cast<std::uint32_t>(depth(k))),
              {w_, 128 * k, depth(k), 0, w_.columns});
      w_tiles_.push_back(&tile);
    }
    for_blocks(b_, begin, end, x_.columns, x_.columns, [&](const Block& block) {
      Tile &row = in.next(), &xt = turned.next();
      const View x = block.load(row, {x_}, 0, x_.columns);
      const View inverse = norm_ == Norm::kRms ? inverse_rms(block, x, squares.next(), small.next())
                                               : centre(block, x, row, small.next());
      const std::uint32_t rows = x.pattern.rows;
      for (std::uint64_t k = 0; k < slabs_; ++k) {
        const auto deep = static_cast<std::uint32_t>(depth(k));
        Tile& flip = flips.next();
        b_.transpose(View::columns(flip, 0, rows, deep), View::columns(row, 128 * k, deep, rows));
        b_.compute(Engine::kVector, Opcode::kCopy, View::columns(xt, 128 * k, rows, deep),
                   {View::columns(flip, 0, rows, deep)});
      }
      multiply(block, xt, rows, inverse);
    });
  }

 private:
  std::uint64_t depth(std::uint64_t k) const { return std::min<std::uint64_t>(128, x_.columns - 128 * k); }

  View inverse_rms(const Block& block, View x, Tile& squares, Tile& small) {
    const View inverse = block.view(small, 0, 1);
    block.activation_with_sum(ActFn::kSquare, block.view(squares), x);
    block.row_sum(inverse);
    block.activation(ActFn::kRsqrt, inverse, inverse, 1 / static_cast<double>(x_.columns), kNormEpsilon);
    return inverse;
  }
  // x less its mean, in place.
  View centre(const Block& block, View x, Tile& row, Tile& small) {
    const Moments moments = row_moments(block, row, x_.columns, small);
    block.vector(Opcode::kTensorScalar, x, {x, moments.mean}, AluOp::kSubtract);
    return moments.inverse;
  }

  void multiply(const Block& block, Tile& xt, std::uint32_t rows, View inverse) {
    for (std::uint64_t n = 0; n < w_.columns; n += 512) {
      const std::uint64_t columns = std::min<std::uint64_t>(512, w_.columns - n);
      Tile &psum = psum_->next(), &out = out_->next();
      for (std::uint64_t k = 0; k < slabs_; ++k) {
        const auto deep = static_cast<std::uint32_t>(depth(k));
        b_.load_weights(View::columns(xt, 128 * k, rows, deep));
        b_.matmul(View::columns(psum, 0, columns, rows), View::columns(*w_tiles_[k], n, columns, deep), k > 0,
                  k + 1 == slabs_);
      }
      block.scale(block.view(out, 0, columns), block.view(psum, 0, columns), inverse);
      block.store({y_}, block.view(out, 0, columns), n, columns);
    }
  }

  CoreBuilder& b_;
  Norm norm_;
  HbmTensor x_, w_, y_;
  DType dtype_;
  std::uint64_t slabs_;
  TilePool *psum_ = nullptr, *out_ = nullptr, *weights_ = nullptr;
  std::vector<Tile*> w_tiles_;
};

Matrices expect_norm_gemm(Norm norm, const Matrices& m) {
  const Matrix &x = m.at("x"), &w = m.at("w");
  const double n = static_cast<double>(x.columns);
  Matrix y(x.rows, w.columns);
  for (std::uint64_t r = 0; r < x.rows; ++r) {
    double mean = 0, squares = 0;
    for (std::uint64_t k = 0; k < x.columns; ++k) mean += norm == Norm::kRms ? 0 : x(r, k) / n;
    for (std::uint64_t k = 0; k < x.columns; ++k) squares += (x(r, k) - mean) * (x(r, k) - mean) / n;
    const double deviation = std::sqrt(squares + kNormEpsilon);
    for (std::uint64_t k = 0; k < x.columns; ++k)
      for (std::uint64_t c = 0; c < w.columns; ++c) y(r, c) += (x(r, k) - mean) / deviation * w(k, c);
  }
  return {{"y", y}};
}

KernelRow norm_gemm_kernel(Norm norm, const std::string& name, const std::string& summary) {
  return {name,
          summary,
          {{"m", "4096", "tokens"},
           {"k", "1024", "features in"},
           {"n", "2048", "features out"},
           {"dtype", "bf16", "of all"}},
          [norm, name](const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
            const std::uint64_t m = given.positive("m"), k = given.positive("k"), n = given.positive("n");
            const DType dtype = given.dtype("dtype");
            RankBuilder rank(machine, name, cores, SbufBudget::kWhole);
            const HbmTensor x = rank.hbm("x", dtype, m, k), w = rank.hbm("w", dtype, k, n),
                            y = rank.hbm("y", dtype, m, n);
            rank.kernel(name, m, 128, [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
              NormGemm(core, norm, x, w, y, dtype).run(begin, end);
            });
            rank.program().model_flops = 2 * m * k * n;
            return rank.take();
          },
          {{{{"m", "200"}, {"k", "300"}, {"n", "600"}},
            {{"m", "128"}, {"k", "256"}, {"n", "512"}, {"dtype", "fp32"}}},
           {},
           [norm](const KernelArguments&, const Matrices& m) { return expect_norm_gemm(norm, m); }}};
}

}  // namespace

std::vector<KernelRow> fused_gemm_kernels() {
  return {batched_kernel(), lora_kernel(),
          norm_gemm_kernel(Norm::kRms, "rmsnorm_gemm", "y = rmsnorm(x) W, the weights held in SBUF"),
          norm_gemm_kernel(Norm::kLayer, "layernorm_gemm", "y = layernorm(x) W, the weights held in SBUF")};
}

}  // namespace trn
