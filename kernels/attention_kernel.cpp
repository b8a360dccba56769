// The attention rows of the kernel library.
#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.h"
#include "kernels/builder/rank_builder.h"
#include "kernels/flash_attention.h"
#include "kernels/registry.h"

namespace trn {
namespace {

AttentionShape shape_of(const KernelArguments& arguments) {
  const AttentionShape shape{arguments.positive("seq"), arguments.positive("heads"),
                             arguments.positive("kv-heads"), arguments.positive("head-dim")};
  if (shape.sequence % 128 != 0) throw UsageError("kernel flash_attention: --seq must be a multiple of 128");
  if (shape.head_dim > 128 || shape.head_dim % 2 != 0)
    throw UsageError("kernel flash_attention: --head-dim must be even and at most 128");
  if (shape.heads % shape.kv_heads != 0)
    throw UsageError("kernel flash_attention: --kv-heads must divide --heads");
  return shape;
}

AttentionForward forward_tensors(RankBuilder& rank, const AttentionShape& shape) {
  const std::uint64_t q = shape.heads * shape.head_dim;
  const std::uint64_t kv = shape.kv_heads * shape.head_dim;
  AttentionForward x;
  x.shape = shape;
  x.q = rank.hbm("q", DType::kBf16, shape.sequence, q);
  x.k = rank.hbm("k", DType::kBf16, shape.sequence, kv);
  x.v = rank.hbm("v", DType::kBf16, shape.sequence, kv);
  x.out = rank.hbm("out", DType::kBf16, shape.sequence, q);
  x.lse = rank.hbm("lse", DType::kFp32, shape.sequence, shape.heads);
  return x;
}

// Probabilities of one query head, and their log-sum-exp.
struct Probabilities {
  Matrix p;
  std::vector<double> lse;
};
Probabilities softmax_scores(const Matrix& q, const Matrix& k, std::uint64_t head, std::uint64_t kv,
                             std::uint64_t d) {
  Probabilities out{Matrix(q.rows, q.rows), {}};
  for (std::uint64_t i = 0; i < q.rows; ++i) {
    double largest = -1e300;
    for (std::uint64_t j = 0; j <= i; ++j) {
      double score = 0;
      for (std::uint64_t c = 0; c < d; ++c) score += q(i, head * d + c) * k(j, kv * d + c);
      out.p(i, j) = score / std::sqrt(static_cast<double>(d));
      largest = std::max(largest, out.p(i, j));
    }
    double sum = 0;
    for (std::uint64_t j = 0; j <= i; ++j) sum += std::exp(out.p(i, j) - largest);
    out.lse.push_back(largest + std::log(sum));
    for (std::uint64_t j = 0; j <= i; ++j) out.p(i, j) = std::exp(out.p(i, j) - out.lse.back());
  }
  return out;
}

Matrices expected_forward(const KernelArguments& arguments, const Matrices& given) {
  const AttentionShape s = shape_of(arguments);
  const Matrix &q = given.at("q"), &k = given.at("k"), &v = given.at("v");
  Matrix out(q.rows, q.columns);
  Matrix lse(q.rows, s.heads);
  for (std::uint64_t h = 0; h < s.heads; ++h) {
    const std::uint64_t kv = h / (s.heads / s.kv_heads);
    const Probabilities soft = softmax_scores(q, k, h, kv, s.head_dim);
    for (std::uint64_t i = 0; i < q.rows; ++i) {
      lse(i, h) = soft.lse[i];
      for (std::uint64_t j = 0; j <= i; ++j)
        for (std::uint64_t c = 0; c < s.head_dim; ++c)
          out(i, h * s.head_dim + c) += soft.p(i, j) * v(j, kv * s.head_dim + c);
    }
  }
  return {{"out", out}, {"lse", lse}};
}

// The backward pass needs the forward pass's results: made from fixed operands.
Matrices backward_inputs(const KernelArguments& arguments) {
  const AttentionShape s = shape_of(arguments);
  Matrices given;
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (const auto& [name, heads] : {std::pair{"q", s.heads}, {"k", s.kv_heads}, {"v", s.kv_heads}}) {
    Matrix& m = given[name] = Matrix(s.sequence, heads * s.head_dim);
    for (double& value : m.at)
      value = static_cast<float>(std::round(normal(random) * 32) / 32);  // exact in bf16
  }
  const Matrices forward = expected_forward(arguments, given);
  given["out"] = forward.at("out");
  given["lse"] = forward.at("lse");
  return given;
}

Matrices expected_backward(const KernelArguments& arguments, const Matrices& given) {
  const AttentionShape s = shape_of(arguments);
  const std::uint64_t d = s.head_dim;
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  const Matrix &q = given.at("q"), &k = given.at("k"), &v = given.at("v"), &dout = given.at("dout");
  Matrix dq(q.rows, q.columns), dk(k.rows, k.columns), dv(v.rows, v.columns);
  for (std::uint64_t h = 0; h < s.heads; ++h) {
    const std::uint64_t kv = h / (s.heads / s.kv_heads);
    const Probabilities soft = softmax_scores(q, k, h, kv, d);
    for (std::uint64_t i = 0; i < q.rows; ++i) {
      std::vector<double> dp(i + 1);
      double delta = 0;
      for (std::uint64_t j = 0; j <= i; ++j) {
        for (std::uint64_t c = 0; c < d; ++c) dp[j] += dout(i, h * d + c) * v(j, kv * d + c);
        delta += dp[j] * soft.p(i, j);
      }
      for (std::uint64_t j = 0; j <= i; ++j) {
        const double ds = soft.p(i, j) * (dp[j] - delta) * scale;
        for (std::uint64_t c = 0; c < d; ++c) {
          dq(i, h * d + c) += ds * k(j, kv * d + c);
          dk(j, kv * d + c) += ds * q(i, h * d + c);
          dv(j, kv * d + c) += soft.p(i, j) * dout(i, h * d + c);
        }
      }
    }
  }
  return {{"dq", dq}, {"dk", dk}, {"dv", dv}};
}

using Cases = std::vector<std::map<std::string, std::string>>;
const Cases kCases{{{"seq", "256"}, {"heads", "4"}, {"kv-heads", "2"}, {"head-dim", "64"}},
                   {{"seq", "640"}, {"heads", "2"}, {"kv-heads", "1"}, {"head-dim", "128"}},
                   {{"seq", "128"}, {"heads", "1"}, {"kv-heads", "1"}, {"head-dim", "96"}}};

const std::vector<KernelArgument> kArguments{{"seq", "4096", "tokens"},
                                             {"heads", "16", "query heads"},
                                             {"kv-heads", "2", "key/value heads"},
                                             {"head-dim", "128", "at most 128"}};

}  // namespace

KernelRow flash_attention_kernel() {
  return {"flash_attention",
          "causal attention forward, grouped queries, online softmax",
          kArguments,
          [](const KernelArguments& arguments, const MachineConfig& machine, std::size_t cores) {
            RankBuilder rank(machine, "flash_attention", cores);
            const AttentionForward x = forward_tensors(rank, shape_of(arguments));
            rank.kernel("flash_attention", x.shape.kv_heads, 1,
                        [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
                          flash_attention(core, x, begin, end);
                        });
            rank.program().model_flops = flash_attention_flops(x.shape);
            return rank.take();
          },
          {kCases, {}, expected_forward}};
}

KernelRow flash_attention_backward_kernel() {
  return {"flash_attention_bwd",
          "its backward pass: dq, dk, dv from dout, q, k, v, out and the log-sum-exp",
          kArguments,
          [](const KernelArguments& arguments, const MachineConfig& machine, std::size_t cores) {
            RankBuilder rank(machine, "flash_attention_bwd", cores);
            AttentionBackward y;
            y.forward = forward_tensors(rank, shape_of(arguments));
            const AttentionForward& x = y.forward;
            y.dout = rank.hbm("dout", DType::kBf16, x.shape.sequence, x.q.columns);
            y.dq = rank.hbm("dq", DType::kBf16, x.shape.sequence, x.q.columns);
            y.dk = rank.hbm("dk", DType::kBf16, x.shape.sequence, x.k.columns);
            y.dv = rank.hbm("dv", DType::kBf16, x.shape.sequence, x.k.columns);
            rank.kernel("flash_attention_bwd", x.shape.kv_heads, 1,
                        [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
                          flash_attention_backward(core, y, begin, end);
                        });
            rank.program().model_flops = flash_attention_backward_flops(x.shape);
            return rank.take();
          },
          // The first rows' gradients are differences of nearly equal bf16 numbers.
          {kCases, backward_inputs, expected_backward, 0.1}};
}

}  // namespace trn
