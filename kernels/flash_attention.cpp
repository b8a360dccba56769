#include "kernels/flash_attention.h"

#include <algorithm>
#include <cmath>

namespace trn {
namespace {

constexpr std::uint64_t kQ = 128;    // queries of a tile
constexpr std::uint64_t kK = 512;    // keys of a section: one PSUM bank of scores
constexpr std::uint64_t kSub = 128;  // keys a transpose or a contraction takes
constexpr float kMasked = -1e9F;     // a score whose exponential is 0

// Keys of the section that starts at `k`, for queries [q, q + 128): causal, whole 128s.
std::uint64_t section_keys(std::uint64_t k, std::uint64_t q) { return std::min(kK, q + kQ - k); }

std::uint64_t sections_flops(const AttentionShape& s, std::uint64_t per_pair) {
  std::uint64_t pairs = 0;
  for (std::uint64_t q = 0; q < s.sequence; q += kQ) pairs += kQ * (q + kQ);
  return s.heads * pairs * s.head_dim * per_pair;
}

class Attention {
 public:
  Attention(CoreBuilder& builder, const AttentionForward& x)
      : b_(builder),
        x_(x),
        d_(x.shape.head_dim),
        scale_(static_cast<float>(1 / std::sqrt(static_cast<double>(d_)))) {}

 protected:
  View cols(Tile& tile, std::uint64_t first, std::uint64_t count, std::uint64_t rows = kQ) const {
    return View::columns(tile, first, count, static_cast<std::uint32_t>(rows));
  }
  void vector(Opcode opcode, View dst, const std::vector<View>& sources, AluOp op0 = AluOp::kNone,
              AluOp op1 = AluOp::kNone, float imm0 = 0) {
    Instruction i;
    i.op0 = op0;
    i.op1 = op1;
    i.imm0 = imm0;
    b_.compute(Engine::kVector, opcode, dst, sources, i);
  }
  // -max of each row.
  void negated_max(View dst, View x) {
    Instruction i;
    i.op0 = AluOp::kMax;
    i.reverse0 = true;
    b_.compute(Engine::kVector, Opcode::kReduce, dst, {x}, i);
  }
  // fn(x * scale + bias); the second source is the bias.
  void scalar(ActFn fn, View dst, const std::vector<View>& sources, float scale = 1,
              RowReduce reduce = RowReduce::kIdle) {
    Instruction i;
    i.fn = fn;
    i.imm0 = scale;
    i.row_reduce = reduce;
    b_.compute(Engine::kScalar, Opcode::kActivation, dst, sources, i);
  }
  void multiply(View dst, View weights, View moving, bool accumulate, bool last) {
    b_.load_weights(weights);
    b_.matmul(dst, moving, accumulate, last);
  }
  // x where the query (partition) is not before the key (column `first_key` of the section on), `otherwise`
  // elsewhere.
  void causal(View dst, View x, std::int64_t first_key, float otherwise) {
    Instruction i;
    i.kind = static_cast<std::uint8_t>(GenerateKind::kAffineSelect);
    i.table = b_.table("causal", {-first_key, 1, -1});
    i.op0 = AluOp::kIsGreaterEqual;
    i.imm0 = otherwise;
    b_.compute(Engine::kGpSimd, Opcode::kGenerate, dst, {x}, i);
  }
  // [d, tokens] of one head, turned on the way in.
  void load_turned(Tile& tile, HbmTensor from, std::uint64_t row, std::uint64_t tokens,
                   std::uint64_t column) {
    if (stage_ != nullptr) return turn_by_array(tile, from, row, tokens, column);
    for (std::uint64_t t = 0; t < tokens; t += kK) {
      const std::uint64_t count = std::min(kK, tokens - t);
      b_.load_transposed(cols(tile, t, count, d_), {from, row + t, count, column, d_});
    }
  }
  // Where the DMA engines cannot turn: 128 tokens at a time through the array.
  void turn_by_array(Tile& tile, HbmTensor from, std::uint64_t row, std::uint64_t tokens,
                     std::uint64_t column) {
    for (std::uint64_t t = 0; t < tokens; t += kSub) {
      Tile& natural = stage_->next();
      Tile& turned = turned_->next();
      b_.load(View::whole(natural), {from, row + t, kSub, column, d_});
      b_.transpose(cols(turned, 0, kSub, d_), View::whole(natural));
      b_.compute(Engine::kVector, Opcode::kCopy, cols(tile, t, kSub, d_), {cols(turned, 0, kSub, d_)});
    }
  }
  void make_turning_pools(std::size_t turned) {
    turned_ = &b_.psum_pool("attn_turned", DType::kBf16, kK, turned);
    if (b_.machine().core.dma.transpose_efficiency_percent == 0)
      stage_ = &b_.sbuf_pool("attn_stage", DType::kBf16, d_, 3);
  }
  // [128, tokens/128 * d]: token t in partition t % 128.
  void load_natural(Tile& tile, HbmTensor from, std::uint64_t row, std::uint64_t tokens,
                    std::uint64_t column) {
    b_.load(cols(tile, 0, tokens / kSub * d_, kSub), {from, row, tokens, column, d_});
  }
  // `count` blocks of 128 columns of src, turned through the array into dst.
  void turn(Engine drain, TilePool& psum, View dst, Tile& src, std::uint64_t count) {
    Tile& turned = psum.next();
    for (std::uint64_t j = 0; j < count; ++j)
      b_.transpose(cols(turned, j * kSub, kQ), cols(src, j * kSub, kSub));
    const View from = cols(turned, 0, count * kSub);
    if (drain == Engine::kScalar && b_.machine().core_version < 3)  // which has no native copy there
      scalar(ActFn::kCopy, dst, {from});
    else
      b_.compute(drain, Opcode::kCopy, dst, {from});
  }

  CoreBuilder& b_;
  const AttentionForward& x_;
  TilePool* turned_ = nullptr;
  TilePool* stage_ = nullptr;  // where the array turns what is loaded
  std::uint64_t d_;
  float scale_;  // of the scores
};

// Two tiles of queries take turns, and scores run ahead of the softmax, which runs ahead of the weighted
// values, so that the array and the Vector engine do not wait for each other's latency.
constexpr std::size_t kScoresAhead = 3;
constexpr std::size_t kSoftmaxAhead = 1;

class Forward : Attention {
 public:
  using Attention::Attention;

  void run(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t s = x_.shape.sequence;
    scores_ = &b_.psum_pool("attn_scores", DType::kFp32, kK, 4);
    make_turning_pools(2);
    output_ = &b_.psum_pool("attn_output", DType::kFp32, d_, 2);
    TilePool& kt = b_.sbuf_pool("attn_kt", DType::kBf16, s, 2);
    TilePool& v = b_.sbuf_pool("attn_v", DType::kBf16, s / kSub * d_, 2);
    qt_ = &b_.sbuf_pool("attn_qt", DType::kBf16, kQ, 6);
    masked_ = &b_.sbuf_pool("attn_masked", DType::kFp32, kK, 2);
    p_ = &b_.sbuf_pool("attn_p", DType::kBf16, kK, 3);
    pt_ = &b_.sbuf_pool("attn_pt", DType::kBf16, kK, 3);
    sum_ = &b_.sbuf_pool("attn_sum", DType::kFp32, d_, 4);
    out_ = &b_.sbuf_pool("attn_out", DType::kBf16, d_, 4);
    small_ = &b_.sbuf_pool("attn_small", DType::kFp32, 8, 6);
    factors_ = &b_.sbuf_pool("attn_factors", DType::kFp32, 2, 6);
    mask_ = &b_.sbuf_pool("attn_mask", DType::kFp32, kK, 1).next();
    // The last 128 keys of a section are those of its queries: their upper corner is masked.
    vector(Opcode::kFill, View::whole(*mask_), {});
    causal(cols(*mask_, kK - kQ, kQ), cols(*mask_, kK - kQ, kQ), 0, kMasked);
    const std::uint64_t group = x_.shape.heads / x_.shape.kv_heads;
    for (std::uint64_t kv = begin; kv < end; ++kv) {
      Tile& keys = kt.next();
      Tile& values = v.next();
      load_turned(keys, x_.k, x_.row, s, x_.k_column + kv * d_);
      load_natural(values, x_.v, x_.row, s, x_.v_column + kv * d_);
      for (std::uint64_t h = kv * group; h < (kv + 1) * group; ++h)
        for (std::uint64_t q = 0; q < s; q += 2 * kQ) pair(keys, values, h, q);
    }
  }

 private:
  // A tile of queries on its way.
  struct Queries {
    std::uint64_t head, q;
    Tile *qt, *small, *sum;
    // Maxima so far of the scaled scores, negated: they swap after every section.
    View max, next_max, total;
  };
  // A section of keys for a tile of queries.
  struct Item {
    Queries* queries;
    std::uint64_t k, count;
    bool first, last;
    Tile* scores = nullptr;
    Tile* p = nullptr;
    Tile* factors = nullptr;  // this section's row sums and the correction of the older ones
  };

  Queries open(std::uint64_t head, std::uint64_t q) {
    Queries x{head, q, &qt_->next(), &small_->next(), &sum_->next(), {}, {}, {}};
    load_turned(*x.qt, x_.q, x_.row + q, kQ, x_.q_column + head * d_);
    x.max = cols(*x.small, 0, 1);
    x.next_max = cols(*x.small, 1, 1);
    x.total = cols(*x.small, 2, 1);
    return x;
  }

  // Two tiles of queries, their sections in turn.
  void pair(Tile& keys, Tile& values, std::uint64_t head, std::uint64_t q) {
    std::vector<Queries> tiles;
    for (std::uint64_t t = q; t < std::min(q + 2 * kQ, x_.shape.sequence); t += kQ)
      tiles.push_back(open(head, t));
    std::vector<Item> items;
    for (std::uint64_t k = 0; k < tiles.back().q + kQ; k += kK)
      for (Queries& x : tiles)
        if (k < x.q + kQ)
          items.push_back({&x, k, section_keys(k, x.q), k == 0, k + section_keys(k, x.q) == x.q + kQ});
    for (std::size_t i = 0; i < items.size() + kScoresAhead; ++i) {
      if (i < items.size()) score(items[i], keys);
      const std::size_t lag = kScoresAhead - kSoftmaxAhead;
      if (i >= lag && i - lag < items.size()) softmax(items[i - lag]);
      if (i >= kScoresAhead) weigh(items[i - kScoresAhead], values);
    }
  }

  void score(Item& item, Tile& keys) {
    item.scores = &scores_->next();
    multiply(cols(*item.scores, 0, item.count), cols(*item.queries->qt, 0, kQ, d_),
             cols(keys, item.k, item.count, d_), false, true);
  }

  void softmax(Item& item) {
    Queries& x = *item.queries;
    View scores = cols(*item.scores, 0, item.count);
    if (item.last) {  // the diagonal: the masked corner gets a large negative number
      Tile& masked = masked_->next();
      vector(Opcode::kTensorTensor, cols(masked, 0, item.count),
             {scores, cols(*mask_, kK - item.count, item.count)}, AluOp::kAdd);
      scores = cols(masked, 0, item.count);
    }
    item.factors = &factors_->next();
    const View correction = cols(*item.factors, 1, 1);
    negated_max(x.next_max, scores);
    if (item.first) {
      vector(Opcode::kTensorScalar, x.next_max, {x.next_max}, AluOp::kMultiply, AluOp::kNone, scale_);
    } else {
      vector(Opcode::kScalarTensorTensor, x.next_max, {x.next_max, x.max}, AluOp::kMultiply, AluOp::kMin,
             scale_);
      scalar(ActFn::kExp, correction, {x.max, x.next_max}, -1);  // exp(old maximum - new maximum)
    }
    item.p = &p_->next();
    scalar(ActFn::kExp, cols(*item.p, 0, item.count), {scores, x.next_max}, scale_, RowReduce::kReset);
    b_.compute(Engine::kScalar, Opcode::kReadAccumulator, cols(*item.factors, 0, 1), {});
    std::swap(x.max, x.next_max);
  }

  void weigh(const Item& item, Tile& values) {
    const std::uint64_t blocks = item.count / kSub;
    Tile& turned = pt_->next();
    turn(Engine::kVector, *turned_, cols(turned, 0, blocks * kSub), *item.p, blocks);
    Tile& result = output_->next();
    for (std::uint64_t j = 0; j < blocks; ++j)
      multiply(View::whole(result), cols(turned, j * kSub, kQ), cols(values, (item.k / kSub + j) * d_, d_),
               j > 0, j + 1 == blocks);
    const View sum = View::whole(*item.queries->sum);
    const View total = item.queries->total;
    const View section_sum = cols(*item.factors, 0, 1);
    if (item.first) {
      vector(Opcode::kCopy, total, {section_sum});
      vector(Opcode::kCopy, sum, {View::whole(result)});
    } else {  // older sums times the correction, plus this section's
      const View correction = cols(*item.factors, 1, 1);
      vector(Opcode::kScalarTensorTensor, total, {total, section_sum, correction}, AluOp::kMultiply,
             AluOp::kAdd);
      vector(Opcode::kScalarTensorTensor, sum, {sum, View::whole(result), correction}, AluOp::kMultiply,
             AluOp::kAdd);
    }
    if (item.last) close(*item.queries);
  }

  // out = sum / total; lse = log(total) + max.
  void close(const Queries& x) {
    const View inverse = cols(*x.small, 5, 1);
    vector(Opcode::kReciprocal, inverse, {x.total});
    Tile& out = out_->next();
    vector(Opcode::kTensorScalar, View::whole(out), {View::whole(*x.sum), inverse}, AluOp::kMultiply);
    b_.store({x_.out, x_.row + x.q, kQ, x.head * d_, d_}, View::whole(out));
    const View lse = cols(*x.small, 6, 1);
    scalar(ActFn::kLog, lse, {x.total});
    vector(Opcode::kTensorTensor, lse, {lse, x.max}, AluOp::kSubtract);
    b_.store({x_.lse, x_.row + x.q, kQ, x.head, 1}, lse);
  }

  TilePool *scores_ = nullptr, *output_ = nullptr, *qt_ = nullptr, *masked_ = nullptr, *p_ = nullptr,
           *pt_ = nullptr, *sum_ = nullptr, *out_ = nullptr, *small_ = nullptr, *factors_ = nullptr;
  Tile* mask_ = nullptr;
};

class Backward : Attention {
 public:
  Backward(CoreBuilder& builder, const AttentionBackward& x) : Attention(builder, x.forward), y_(x) {}

  void run(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t s = x_.shape.sequence;
    const std::uint64_t blocks = s / kSub;
    scores_ = &b_.psum_pool("attn_scores", DType::kFp32, kK, 4);
    make_turning_pools(1);
    partial_ = &b_.psum_pool("attn_partial", DType::kFp32, kK, 2);
    dq_sum_ = &b_.psum_pool("attn_dq", DType::kFp32, d_, 1);
    for (auto [pool, name] : {std::pair{&kt_, "attn_kt"}, {&vt_, "attn_vt"}})
      *pool = &b_.sbuf_pool(name, DType::kBf16, s, 1);
    k_ = &b_.sbuf_pool("attn_k", DType::kBf16, blocks * d_, 1);
    dk_ = &b_.sbuf_pool("attn_dk", DType::kFp32, blocks * d_, 1);
    dv_ = &b_.sbuf_pool("attn_dv", DType::kFp32, blocks * d_, 1);
    small_ = &b_.sbuf_pool("attn_small", DType::kFp32, 4, 2);
    turned_rows_ = &b_.sbuf_pool("attn_rows_t", DType::kBf16, kQ, 4);
    rows_ = &b_.sbuf_pool("attn_rows", DType::kBf16, d_, 6);
    p_ = &b_.sbuf_pool("attn_p", DType::kBf16, kK, 3);
    ds_ = &b_.sbuf_pool("attn_ds", DType::kBf16, kK, 3);
    dst_ = &b_.sbuf_pool("attn_dst", DType::kBf16, kK, 2);
    out_ = &b_.sbuf_pool("attn_out", DType::kBf16, d_, 4);
    const std::uint64_t group = x_.shape.heads / x_.shape.kv_heads;
    for (std::uint64_t kv = begin; kv < end; ++kv) {
      Keys keys{&kt_->next(), &vt_->next(), &k_->next(), &dk_->next(), &dv_->next()};
      load_turned(*keys.kt, x_.k, x_.row, s, x_.k_column + kv * d_);
      load_turned(*keys.vt, x_.v, x_.row, s, x_.v_column + kv * d_);
      load_natural(*keys.k, x_.k, x_.row, s, x_.k_column + kv * d_);
      vector(Opcode::kFill, View::whole(*keys.dk), {});
      vector(Opcode::kFill, View::whole(*keys.dv), {});
      for (std::uint64_t h = kv * group; h < (kv + 1) * group; ++h)
        for (std::uint64_t q = 0; q < s; q += kQ) tile(keys, h, q);
      for (std::uint64_t j = 0; j < blocks; ++j) {
        store_sum(*keys.dk, j, scale_, y_.dk, x_.k_column + kv * d_);
        store_sum(*keys.dv, j, 1, y_.dv, x_.v_column + kv * d_);
      }
    }
  }

 private:
  struct Keys {
    Tile *kt, *vt, *k, *dk, *dv;
  };
  struct Queries {
    Tile *q, *dout, *qt, *dout_t, *small;
  };

  void store_sum(Tile& sum, std::uint64_t j, float scale, HbmTensor to, std::uint64_t column) {
    Tile& out = out_->next();
    scalar(ActFn::kCopy, View::whole(out), {cols(sum, j * d_, d_)}, scale);
    b_.store({to, y_.grad_row + j * kSub, kSub, column, d_}, View::whole(out));
  }

  void tile(const Keys& keys, std::uint64_t head, std::uint64_t q) {
    Queries x{&rows_->next(), &rows_->next(), &turned_rows_->next(), &turned_rows_->next(), &small_->next()};
    b_.load(View::whole(*x.q), {x_.q, x_.row + q, kQ, x_.q_column + head * d_, d_});
    b_.load(View::whole(*x.dout), {y_.dout, y_.grad_row + q, kQ, head * d_, d_});
    load_turned(*x.qt, x_.q, x_.row + q, kQ, x_.q_column + head * d_);
    load_turned(*x.dout_t, y_.dout, y_.grad_row + q, kQ, head * d_);
    // delta = rowsum(dout * out), lse from the forward pass.
    Tile& forward_out = rows_->next();
    b_.load(View::whole(forward_out), {x_.out, x_.row + q, kQ, head * d_, d_});
    b_.load(cols(*x.small, 0, 1), {x_.lse, x_.row + q, kQ, head, 1});
    vector(Opcode::kTensorTensor, View::whole(forward_out), {View::whole(forward_out), View::whole(*x.dout)},
           AluOp::kMultiply);
    vector(Opcode::kReduce, cols(*x.small, 1, 1), {View::whole(forward_out)}, AluOp::kAdd);
    vector(Opcode::kTensorScalar, cols(*x.small, 2, 1), {cols(*x.small, 0, 1)}, AluOp::kMultiply,
           AluOp::kNone, -1);
    Tile& dq = dq_sum_->next();
    // One section's scores and their gradient run ahead of the products of the section before.
    std::vector<Item> items;
    for (std::uint64_t k = 0; k < q + kQ; k += kK)
      items.push_back({k, section_keys(k, q), k + section_keys(k, q) == q + kQ});
    for (std::size_t i = 0; i <= items.size(); ++i) {
      if (i < items.size()) score(items[i], keys, x);
      if (i > 0) multiply_back(items[i - 1], keys, x, dq);
    }
    Tile& out = out_->next();
    scalar(ActFn::kCopy, View::whole(out), {View::whole(dq)}, scale_);
    b_.store({y_.dq, y_.grad_row + q, kQ, x_.q_column + head * d_, d_}, View::whole(out));
  }

  struct Item {
    std::uint64_t k, count;
    bool last;
    Tile* p = nullptr;
    Tile* ds = nullptr;
  };

  // Probabilities from the saved log-sum-exp, and dS = P * (dO V^T - delta).
  void score(Item& item, const Keys& keys, const Queries& x) {
    Tile& scores = scores_->next();
    multiply(cols(scores, 0, item.count), cols(*x.qt, 0, kQ, d_), cols(*keys.kt, item.k, item.count, d_),
             false, true);
    Tile& dp = scores_->next();
    multiply(cols(dp, 0, item.count), cols(*x.dout_t, 0, kQ, d_), cols(*keys.vt, item.k, item.count, d_),
             false, true);
    item.p = &p_->next();
    scalar(ActFn::kExp, cols(*item.p, 0, item.count), {cols(scores, 0, item.count), cols(*x.small, 2, 1)},
           scale_);
    const View corner = cols(*item.p, item.count - kSub, kSub);
    if (item.last) causal(corner, corner, 0, 0);
    item.ds = &ds_->next();
    vector(Opcode::kScalarTensorTensor, cols(*item.ds, 0, item.count),
           {cols(dp, 0, item.count), cols(*item.p, 0, item.count), cols(*x.small, 1, 1)}, AluOp::kSubtract,
           AluOp::kMultiply);
  }

  // dV += P^T dO, dK += dS^T Q, dQ += dS K.
  void multiply_back(const Item& item, const Keys& keys, const Queries& x, Tile& dq) {
    const std::uint64_t blocks = item.count / kSub;
    const std::uint64_t first_block = item.k / kSub;
    add_products(*keys.dv, *item.p, View::whole(*x.dout), first_block, blocks);
    add_products(*keys.dk, *item.ds, View::whole(*x.q), first_block, blocks);
    Tile& turned = dst_->next();
    turn(Engine::kScalar, *turned_, cols(turned, 0, blocks * kSub), *item.ds, blocks);
    for (std::uint64_t j = 0; j < blocks; ++j)
      multiply(View::whole(dq), cols(turned, j * kSub, kQ), cols(*keys.k, (first_block + j) * d_, d_),
               item.k + j > 0, item.last && j + 1 == blocks);
  }

  // sum[key block] += transpose(weights block) x moving, for each block of 128 keys.
  void add_products(Tile& sum, Tile& weights, View moving, std::uint64_t first_block, std::uint64_t blocks) {
    Tile& partial = partial_->next();
    for (std::uint64_t j = 0; j < blocks; ++j)
      multiply(cols(partial, j * d_, d_), cols(weights, j * kSub, kSub), moving, false, true);
    const View total = cols(sum, first_block * d_, blocks * d_);
    vector(Opcode::kTensorTensor, total, {cols(partial, 0, blocks * d_), total}, AluOp::kAdd);
  }

  const AttentionBackward& y_;
  TilePool *scores_ = nullptr, *partial_ = nullptr, *dq_sum_ = nullptr, *kt_ = nullptr, *vt_ = nullptr,
           *k_ = nullptr, *dk_ = nullptr, *dv_ = nullptr, *small_ = nullptr, *turned_rows_ = nullptr,
           *rows_ = nullptr, *p_ = nullptr, *ds_ = nullptr, *dst_ = nullptr, *out_ = nullptr;
};

}  // namespace

void flash_attention(CoreBuilder& builder, const AttentionForward& x, std::uint64_t begin,
                     std::uint64_t end) {
  Forward(builder, x).run(begin, end);
}
void flash_attention_backward(CoreBuilder& builder, const AttentionBackward& x, std::uint64_t begin,
                              std::uint64_t end) {
  Backward(builder, x).run(begin, end);
}

// Scores and weighted values: two contractions, 2 FLOPs a multiply-add.
std::uint64_t flash_attention_flops(const AttentionShape& shape) { return sections_flops(shape, 4); }
// Scores again, dP, dV, dK, dQ.
std::uint64_t flash_attention_backward_flops(const AttentionShape& shape) {
  return sections_flops(shape, 10);
}

}  // namespace trn
