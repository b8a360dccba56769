// Attention that writes its scores to HBM: one pass makes them, the next weighs the values with them.
#include <cmath>

#include "base/error.h"
#include "kernels/builder/rank_builder.h"
#include "kernels/registry.h"
#include "kernels/row_block.h"

namespace trn {
namespace {

constexpr std::uint64_t kKeys = 512;    // of a PSUM bank of scores
constexpr std::uint64_t kTurned = 128;  // keys the array turns at once
constexpr float kMasked = -1e9F;        // a score whose exponential is 0

// Heads lie below each other: q and k [heads * head_dim, seq], v and out [heads * seq, head_dim], scores
// [heads * seq, seq].
struct ScoresAttention {
  CoreBuilder& b;
  HbmTensor q, k, v, scores, out;
  std::uint64_t seq, head_dim;
  bool causal;

  static View part(Tile& tile, std::uint64_t first, std::uint64_t columns, std::uint64_t rows) {
    return View::columns(tile, first, columns, static_cast<std::uint32_t>(rows));
  }

  void make_scores(std::uint64_t begin, std::uint64_t end) {
    const std::size_t mark = b.mark();
    TilePool& psum = b.psum_pool("score_psum", DType::kFp32, kKeys, 4);
    TilePool& keys = b.sbuf_pool("score_k", DType::kBf16, seq, 2);
    TilePool& queries = b.sbuf_pool("score_q", DType::kBf16, seq, 2);
    TilePool& rows = b.sbuf_pool("score_rows", DType::kFp32, seq, 2);
    for (std::uint64_t h = begin; h < end; ++h) {
      Tile &kt = keys.next(), &qt = queries.next();
      b.load(part(kt, 0, seq, head_dim), {k, h * head_dim, head_dim, 0, seq});
      b.load(part(qt, 0, seq, head_dim), {q, h * head_dim, head_dim, 0, seq});
      for (std::uint64_t t = 0; t < seq; t += kRows) {
        const std::uint64_t count = std::min(kRows, seq - t);
        Tile& row = rows.next();
        b.load_weights(part(qt, t, count, head_dim));
        for (std::uint64_t c = 0; c < seq; c += kKeys) {
          const std::uint64_t columns = std::min(kKeys, seq - c);
          Tile& sum = psum.next();
          b.matmul(part(sum, 0, columns, count), part(kt, c, columns, head_dim), false, true);
          b.compute(Engine::kVector, Opcode::kCopy, part(row, c, columns, count),
                    {part(sum, 0, columns, count)});
        }
        b.store({scores, h * seq + t, count, 0, seq}, part(row, 0, seq, count));
      }
    }
    b.release(mark);
  }

  void weigh_values(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t blocks = (seq + kTurned - 1) / kTurned;
    TilePool& values = b.sbuf_pool("weigh_v", DType::kBf16, blocks * head_dim, 2);
    TilePool& rows = b.sbuf_pool("weigh_rows", DType::kFp32, seq, 2);
    TilePool& weights = b.sbuf_pool("weigh_p", DType::kBf16, seq, 2);
    TilePool& turned = b.sbuf_pool("weigh_pt", DType::kBf16, blocks * kTurned, 2);
    TilePool& outs = b.sbuf_pool("weigh_out", DType::kBf16, head_dim, 3);
    TilePool& small = b.sbuf_pool("weigh_small", DType::kFp32, 2, 4);
    TilePool& flips = b.psum_pool("weigh_flips", DType::kBf16, kTurned, 4);
    TilePool& sums = b.psum_pool("weigh_sums", DType::kFp32, head_dim, 2);
    for (std::uint64_t h = begin; h < end; ++h) {
      Tile& held = values.next();
      for (std::uint64_t j = 0; j < blocks; ++j)
        b.load(part(held, j * head_dim, head_dim, keys_of(j)),
               {v, h * seq + j * kTurned, keys_of(j), 0, head_dim});
      for_blocks(b, h * seq, (h + 1) * seq, seq, seq, [&](const Block& block) {
        Tile &p = weights.next(), &pt = turned.next(), &factors = small.next();
        const View row = block.load(rows, {scores});
        const View total = softmax(block, row, block.view(p), factors, block.row() - h * seq);
        const std::uint64_t count = row.pattern.rows;
        for (std::uint64_t j = 0; j < blocks; ++j) {
          Tile& flip = flips.next();
          b.transpose(part(flip, 0, count, keys_of(j)), part(p, j * kTurned, keys_of(j), count));
          b.compute(Engine::kVector, Opcode::kCopy, part(pt, j * kTurned, count, keys_of(j)),
                    {part(flip, 0, count, keys_of(j))});
        }
        Tile& sum = sums.next();
        for (std::uint64_t j = 0; j < blocks; ++j) {
          b.load_weights(part(pt, j * kTurned, count, keys_of(j)));
          b.matmul(part(sum, 0, head_dim, count), part(held, j * head_dim, head_dim, keys_of(j)), j > 0,
                   j + 1 == blocks);
        }
        const View result = block.view(outs.next());
        block.scale(result, part(sum, 0, head_dim, count), total);
        block.store({out}, result, 0, head_dim);
      });
    }
  }

 private:
  std::uint64_t keys_of(std::uint64_t block) const { return std::min(kTurned, seq - block * kTurned); }

  // exp((x - max) / sqrt(d)) into p; returns the inverses of their sums. The rows are queries from `first`
  // on.
  View softmax(const Block& block, View x, View p, Tile& factors, std::uint64_t first) {
    const double scale = 1 / std::sqrt(static_cast<double>(head_dim));
    if (causal) {
      Instruction mask;
      mask.kind = static_cast<std::uint8_t>(GenerateKind::kAffineSelect);
      mask.table = b.table("causal" + std::to_string(first), {static_cast<std::int64_t>(first), 1, -1});
      mask.op0 = AluOp::kIsGreaterEqual;
      mask.imm0 = kMasked;
      b.compute(Engine::kGpSimd, Opcode::kGenerate, x, {x}, mask);
    }
    const View bias = block.view(factors, 0, 1), total = block.view(factors, 1, 1);
    block.negated_max(bias, x);
    block.multiply_immediate(bias, scale);
    block.activate(ActFn::kExp, p, {x, bias}, scale, 0, RowReduce::kReset);
    block.row_sum(total);
    block.vector(Opcode::kReciprocal, total, {total});
    return total;
  }
};

bool causal_of(const KernelArguments& given) { return given.choice("mask", {"none", "causal"}) == 1; }

Program build_attention(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t heads = given.positive("heads"), seq = given.positive("seq"),
                      d = given.positive("head-dim");
  if (d > kRows) throw UsageError("kernel attention: --head-dim: at most 128");
  RankBuilder rank(machine, "attention", cores, SbufBudget::kWhole);
  const HbmTensor q = rank.hbm("q", DType::kBf16, heads * d, seq),
                  k = rank.hbm("k", DType::kBf16, heads * d, seq),
                  v = rank.hbm("v", DType::kBf16, heads * seq, d),
                  scores = rank.hbm("scores", DType::kFp32, heads * seq, seq),
                  out = rank.hbm("out", DType::kBf16, heads * seq, d);
  const auto run = [&](const char* region, void (ScoresAttention::*pass)(std::uint64_t, std::uint64_t)) {
    rank.kernel(region, heads, 1, [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
      ScoresAttention attention{core, q, k, v, scores, out, seq, d, causal_of(given)};
      (attention.*pass)(begin, end);
    });
  };
  run("scores", &ScoresAttention::make_scores);
  run("weigh", &ScoresAttention::weigh_values);
  rank.program().model_flops = 4 * heads * seq * seq * d;
  return rank.take();
}

Matrices expected_attention(const KernelArguments& given, const Matrices& m) {
  const std::uint64_t heads = given.positive("heads"), seq = given.positive("seq"),
                      d = given.positive("head-dim");
  const Matrix &q = m.at("q"), &k = m.at("k"), &v = m.at("v");
  Matrix scores(heads * seq, seq), out(heads * seq, d);
  for (std::uint64_t h = 0; h < heads; ++h)
    for (std::uint64_t i = 0; i < seq; ++i) {
      const std::uint64_t row = h * seq + i;
      for (std::uint64_t j = 0; j < seq; ++j)
        for (std::uint64_t c = 0; c < d; ++c) scores(row, j) += q(h * d + c, i) * k(h * d + c, j);
      double sum = 0;
      for (std::uint64_t j = 0; j < (causal_of(given) ? i + 1 : seq); ++j) {
        const double weight = std::exp(scores(row, j) / std::sqrt(static_cast<double>(d)));
        sum += weight;
        for (std::uint64_t c = 0; c < d; ++c) out(row, c) += weight * v(h * seq + j, c);
      }
      for (std::uint64_t c = 0; c < d; ++c) out(row, c) /= sum;
    }
  return {{"scores", scores}, {"out", out}};
}

}  // namespace

KernelRow scores_attention_kernel() {
  return {"attention",
          "attention that materialises its scores in HBM",
          {{"seq", "2048", "tokens"},
           {"heads", "4", "heads"},
           {"head-dim", "128", "at most 128"},
           {"mask", "none", "none or causal"}},
          build_attention,
          {{{{"seq", "200"}, {"heads", "2"}, {"head-dim", "64"}},
            {{"seq", "256"}, {"heads", "1"}, {"head-dim", "128"}, {"mask", "causal"}}},
           {},
           expected_attention}};
}

}  // namespace trn
