#include "workloads/training_step.h"

#include <algorithm>

#include "kernels/builder/rank_builder.h"
#include "kernels/flash_attention.h"
#include "kernels/gemm.h"
#include "kernels/pointwise.h"

namespace trn {
namespace {

constexpr std::uint32_t kTensorStream = 0;
constexpr std::uint32_t kGatherStream = 1;
constexpr std::uint32_t kScatterStream = 2;

class StepBuilder {
 public:
  StepBuilder(const ModelSpec& model, const TrainingPlan& plan, const MachineConfig& machine)
      : m_(model),
        plan_(plan),
        rank_(machine, model.name, plan.lnc),
        tokens_(plan.sequence * plan.micro_batch),
        shard_(tokens_ / plan.tp),
        q_(model.q_width() / plan.tp),
        kv_(model.kv_width() / plan.tp),
        ff_(model.intermediate / plan.tp),
        vocab_(model.vocab / plan.tp) {
    declare();
  }

  TrainingStep run() {
    for (std::uint64_t step = 0; step < plan_.micro_steps(); ++step) {
      head_gather();
      embed();
      layers([&](std::uint64_t l) { forward(l); });
      head();
      layers([&](std::uint64_t i) { backward(m_.layers - 1 - i); });
      embed_backward();
    }
    optimizer();
    TrainingStep out;
    out.flops = count_flops();
    out.traffic = traffic_;
    rank_.program().model_flops = out.flops.model;
    out.program = rank_.take();
    return out;
  }

 private:
  // A layer at a time; the builder writes some and makes the rest a loop, all of the same traffic.
  void layers(const std::function<void(std::uint64_t)>& body) {
    std::uint64_t written = 0;
    HbmTraffic one;
    rank_.repeat(m_.layers, [&](std::uint64_t i) {
      const HbmTraffic before = traffic_;
      body(i);
      one = traffic_ - before;
      ++written;
    });
    traffic_ += one * (m_.layers - written);
  }

  void declare() {
    const std::uint64_t layers = m_.layers;
    const auto bf16 = [&](const char* name, std::uint64_t rows, std::uint64_t columns) {
      return rank_.hbm(name, DType::kBf16, rows, columns);
    };
    const auto fp32 = [&](const char* name, std::uint64_t rows, std::uint64_t columns) {
      return rank_.hbm(name, DType::kFp32, rows, columns);
    };
    // Gathered weights; the layers lie below each other.
    w_qkv_ = bf16("w_qkv", layers * m_.hidden, q_ + 2 * kv_);
    w_o_ = bf16("w_o", layers * q_, m_.hidden);
    w_gate_up_ = bf16("w_gate_up", layers * m_.hidden, 2 * ff_);
    w_down_ = bf16("w_down", layers * ff_, m_.hidden);
    w_head_ = bf16("w_head", m_.hidden, vocab_);
    w_norm_ = bf16("w_norm", 128, m_.hidden);
    table_ = bf16("embedding", tokens_, m_.hidden);
    cos_sin_ = bf16("cos_sin", tokens_, 2 * m_.head_dim);
    // Their gradients before the reduce-scatter: one layer's, used again by the next.
    g_qkv_ = fp32("g_qkv", m_.hidden, q_ + 2 * kv_);
    g_o_ = fp32("g_o", q_, m_.hidden);
    g_gate_up_ = fp32("g_gate_up", m_.hidden, 2 * ff_);
    g_down_ = fp32("g_down", ff_, m_.hidden);
    g_head_ = fp32("g_head", m_.hidden, vocab_);
    // Saved for the backward pass, layer below layer.
    x_ = bf16("x", (layers + 1) * shard_, m_.hidden);
    mid_ = bf16("mid", layers * shard_, m_.hidden);
    qkv_ = bf16("qkv", layers * tokens_, q_ + 2 * kv_);
    attn_ = bf16("attn", layers * tokens_, q_);
    lse_ = fp32("lse", layers * tokens_, m_.heads / plan_.tp);
    // Working tensors.
    normed_ = bf16("normed", shard_, m_.hidden);
    gathered_ = bf16("gathered", tokens_, m_.hidden);
    partial_ = bf16("partial", tokens_, m_.hidden);
    scattered_ = bf16("scattered", shard_, m_.hidden);
    gate_up_ = bf16("gate_up", tokens_, 2 * ff_);
    act_ = bf16("act", tokens_, ff_);
    logits_ = bf16("logits", tokens_, vocab_);
    dlogits_ = bf16("dlogits", tokens_, vocab_);
    dx_ = bf16("dx", shard_, m_.hidden);
    dmid_ = bf16("dmid", shard_, m_.hidden);
    dgathered_ = bf16("dgathered", tokens_, m_.hidden);
    dact_ = bf16("dact", tokens_, ff_);
    dgate_up_ = bf16("dgate_up", tokens_, 2 * ff_);
    dattn_ = bf16("dattn", tokens_, q_);
    dqkv_ = bf16("dqkv", tokens_, q_ + 2 * kv_);
    const std::uint64_t ranks = plan_.tp * plan_.fsdp;
    optimizer_rows_ = ((m_.total_parameters() + ranks - 1) / ranks + kAdamColumns - 1) / kAdamColumns;
    adam_ = {fp32("master", optimizer_rows_, kAdamColumns), fp32("momentum", optimizer_rows_, kAdamColumns),
             fp32("variance", optimizer_rows_, kAdamColumns), fp32("gradient", optimizer_rows_, kAdamColumns),
             bf16("parameter", optimizer_rows_, kAdamColumns)};
  }

  static HbmBlock all(HbmTensor t) { return {t, 0, t.rows, 0, t.columns}; }
  static HbmBlock rows(HbmTensor t, std::uint64_t layer, std::uint64_t count) {
    return {t, layer * count, count, 0, t.columns};
  }

  // --- collectives -------------------------------------------------------------------------------------
  void tensor_collective(CollectiveOp op, HbmBlock from, HbmBlock to) {
    if (plan_.tp == 1) return;
    const std::uint64_t bytes = tokens_ * m_.hidden * 2;
    rank_.collective(op == CollectiveOp::kAllGather ? "tp_all_gather" : "tp_reduce_scatter",
                     {op, "tp", bytes, DType::kBf16, kTensorStream, 0}, {from}, {to});
  }
  void gather(HbmTensor from, HbmTensor to) {
    tensor_collective(CollectiveOp::kAllGather, all(from), all(to));
  }
  void scatter(HbmTensor from, HbmTensor to) {
    tensor_collective(CollectiveOp::kReduceScatter, all(from), all(to));
  }

  // A flat buffer is padded to the group.
  std::uint64_t padded(std::uint64_t elements, std::uint64_t width) const {
    return (elements + plan_.fsdp - 1) / plan_.fsdp * plan_.fsdp * width;
  }
  std::uint64_t layer_elements() const {
    return (m_.attention_parameters() + m_.mlp_parameters()) / plan_.tp;
  }

  void gather_layer(std::uint64_t l) {
    if (plan_.fsdp == 1) return;
    rank_.collective(
        "fsdp_all_gather",
        {CollectiveOp::kAllGather, "fsdp", padded(layer_elements(), 2), DType::kBf16, kGatherStream, 0}, {},
        {rows(w_qkv_, l, m_.hidden), rows(w_o_, l, q_), rows(w_gate_up_, l, m_.hidden),
         rows(w_down_, l, ff_)});
  }
  void scatter_layer() {
    if (plan_.fsdp == 1) return;
    rank_.collective(
        "fsdp_reduce_scatter",
        {CollectiveOp::kReduceScatter, "fsdp", padded(layer_elements(), 4), DType::kFp32, kScatterStream, 0},
        {all(g_qkv_), all(g_o_), all(g_gate_up_), all(g_down_)}, {all(adam_.gradient)});
  }
  void head_gather() {
    if (plan_.fsdp == 1) return;
    rank_.collective(
        "fsdp_all_gather",
        {CollectiveOp::kAllGather, "fsdp", padded(2 * m_.hidden * vocab_, 2), DType::kBf16, kGatherStream, 0},
        {}, {all(w_head_), all(table_)});
    gather_layer(0);
  }

  // --- kernels --------------------------------------------------------------------------------------------
  // The matmul of a training kernel: hand-written quality streams B past a resident block of A; a compiler
  // leaves blocks loaded tile by tile. Where K is too long for a block of A, partial sums are kept in SBUF.
  void matmul(const std::string& region, GemmOperands x) {
    const std::uint64_t half = rank_.machine().core.sbuf.usable_bytes_per_partition.count() / 2;
    const std::uint64_t k_tiles = (x.k + 127) / 128;
    const std::uint64_t row_bytes = std::uint64_t{512} * size_of(x.dtype);
    GemmOptions options;
    options.load = plan_.lowering == Lowering::kFused ? GemmLoad::kRow : GemmLoad::kTile;
    options.order = plan_.lowering == Lowering::kFused ? GemmOrder::kStream : GemmOrder::kBlockMn;
    options.m_tiles = 4;
    options.n_tiles = 1;
    const std::uint64_t b_slots = plan_.lowering == Lowering::kFused ? 12 : k_tiles;
    const std::uint64_t needed =
        (k_tiles + b_slots) * row_bytes + std::uint64_t{2048} * size_of(x.c_dtype) + 4096;
    if (needed > half) {
      options.order = GemmOrder::kBlockMnk;
      options.m_tiles = 8;
      options.n_tiles = 2;
      options.k_tiles = 8;
    }
    rank_.kernel(region, x.m, 128, [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
      gemm(core, x, options, begin, end);
      traffic_ += gemm_traffic(x, options, begin, end);
    });
  }

  // y[tokens, n] = x[tokens, k] w[k, n]
  void linear(const std::string& region, HbmTensor x, std::uint64_t x_row, HbmTensor w, std::uint64_t w_row,
              HbmTensor y, std::uint64_t y_row) {
    GemmOperands g;
    g.a = x, g.b = w, g.c = y;
    g.m = tokens_, g.k = x.columns, g.n = y.columns;
    g.a_transposed = true;
    g.a_row = x_row, g.b_row = w_row, g.c_row = y_row;
    matmul(region, g);
  }
  // dx[tokens, k] = dy[tokens, n] transpose(w[k, n])
  void linear_dx(const std::string& region, HbmTensor dy, HbmTensor w, std::uint64_t w_row, HbmTensor dx) {
    GemmOperands g;
    g.a = dy, g.b = w, g.c = dx;
    g.m = tokens_, g.k = dy.columns, g.n = dx.columns;
    g.a_transposed = g.b_transposed = true;
    g.b_row = w_row;
    matmul(region, g);
  }
  // dw[k, n] = transpose(x[tokens, k]) dy[tokens, n], in fp32
  void linear_dw(const std::string& region, HbmTensor x, std::uint64_t x_row, HbmTensor dy, HbmTensor dw) {
    GemmOperands g;
    g.a = x, g.b = dy, g.c = dw;
    g.c_dtype = DType::kFp32;
    g.m = x.columns, g.k = tokens_, g.n = dy.columns;
    g.a_row = x_row;
    matmul(region, g);
  }

  using RowBody = std::function<void(CoreBuilder&, std::uint64_t, std::uint64_t)>;
  void row_kernel(const std::string& region, std::uint64_t rows, const RowBody& body) {
    rank_.kernel(region, rows, 128, body);
  }
  Rows weight() const { return {w_norm_}; }

  void norm(HbmTensor x, std::uint64_t row) {
    row_kernel("norm", shard_, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      rmsnorm(core, {x, row}, weight(), {normed_}, b, e);
      traffic_ += rows_traffic(e - b, m_.hidden, m_.hidden, m_.hidden);
    });
  }
  void add_norm(HbmTensor a, std::uint64_t a_row, HbmTensor sum, std::uint64_t sum_row) {
    row_kernel("norm", shard_, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      add_rmsnorm(core, {a, a_row}, {scattered()}, weight(), {sum, sum_row}, {normed_}, b, e);
      traffic_ += rows_traffic(e - b, 2 * m_.hidden, 2 * m_.hidden, m_.hidden);
    });
  }
  void norm_backward(HbmTensor x, std::uint64_t row, HbmTensor skip, HbmTensor out) {
    row_kernel("norm_bwd", shard_, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      rmsnorm_backward(core, {x, row}, weight(), {scattered()}, {skip}, {out}, b, e);
      traffic_ += rows_traffic(e - b, 3 * m_.hidden, m_.hidden, m_.hidden);
    });
  }
  // Rotates the query and key columns in place.
  void rotate(HbmTensor t, std::uint64_t row, bool with_norm) {
    const std::uint64_t heads = (q_ + kv_) / m_.head_dim;
    row_kernel("rope", tokens_, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      rope(core, {t, row}, {cos_sin_}, {t, row}, heads, m_.head_dim, with_norm, b, e);
      traffic_ += rows_traffic(e - b, q_ + kv_ + 2 * m_.head_dim, q_ + kv_);
    });
  }

  // With one rank a group the gathered and the scattered tensor are the local ones.
  HbmTensor gathered() const { return plan_.tp == 1 ? normed_ : gathered_; }
  HbmTensor scattered() const { return plan_.tp == 1 ? partial_ : scattered_; }
  HbmTensor whole(HbmTensor shard) const { return plan_.tp == 1 ? shard : dgathered_; }

  AttentionShape attention_shape() const {
    return {plan_.sequence, m_.heads / plan_.tp, m_.kv_heads / plan_.tp, m_.head_dim};
  }
  AttentionForward attention(std::uint64_t l, std::uint64_t sequence) const {
    AttentionForward a;
    a.shape = attention_shape();
    a.q = a.k = a.v = qkv_;
    a.k_column = q_;
    a.v_column = q_ + kv_;
    a.out = attn_;
    a.lse = lse_;
    a.row = l * tokens_ + sequence * plan_.sequence;
    return a;
  }
  // The cores of a rank share the KV heads of all sequences: (core, sequence, first head, last head).
  using HeadsBody = std::function<void(CoreBuilder&, std::uint64_t, std::uint64_t, std::uint64_t)>;
  void attention_kernel(const std::string& region, const HeadsBody& body) {
    const std::uint64_t heads = attention_shape().kv_heads;
    rank_.kernel(region, plan_.micro_batch * heads, 1,
                 [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
                   for (std::uint64_t at = begin; at < end;) {
                     const std::uint64_t first = at % heads;
                     const std::uint64_t last = std::min(heads, first + end - at);
                     const std::size_t pools = core.mark();
                     body(core, at / heads, first, last);
                     core.release(pools);
                     at += last - first;
                   }
                 });
  }
  void attend(std::uint64_t l) {
    attention_kernel("attention",
                     [&](CoreBuilder& core, std::uint64_t sequence, std::uint64_t b, std::uint64_t e) {
                       flash_attention(core, attention(l, sequence), b, e);
                       traffic_ += flash_attention_traffic(attention_shape(), e - b);
                     });
  }
  void attend_backward(std::uint64_t l) {
    attention_kernel("attention_bwd",
                     [&](CoreBuilder& core, std::uint64_t sequence, std::uint64_t b, std::uint64_t e) {
                       AttentionBackward a;
                       a.forward = attention(l, sequence);
                       a.dout = dattn_;
                       a.dq = a.dk = a.dv = dqkv_;
                       a.grad_row = sequence * plan_.sequence;
                       flash_attention_backward(core, a, b, e);
                       traffic_ += flash_attention_backward_traffic(attention_shape(), e - b);
                     });
  }

  // --- layers ---------------------------------------------------------------------------------------------
  void embed() {
    row_kernel("embedding", shard_, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      embedding(core, {table_}, {x_}, b, e);
      traffic_ += rows_traffic(e - b, m_.hidden, m_.hidden);
    });
    norm(x_, 0);
  }

  void mlp_up() {
    gather(normed_, gathered_);
    linear("gate_up", gathered(), 0, w_gate_up_, layer_ * m_.hidden, gate_up_, 0);
    row_kernel("swiglu", tokens_, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      swiglu(core, {gate_up_}, {act_}, b, e);
      traffic_ += rows_traffic(e - b, 2 * ff_, ff_);
    });
  }

  // From the normed input to the normed input of the MLP.
  void attention_block(std::uint64_t l) {
    gather(normed_, gathered_);
    linear("qkv", gathered(), 0, w_qkv_, l * m_.hidden, qkv_, l * tokens_);
    rotate(qkv_, l * tokens_, m_.qk_norm);
    attend(l);
    linear("o", attn_, l * tokens_, w_o_, l * q_, partial_, 0);
    scatter(partial_, scattered_);
    add_norm(x_, l * shard_, mid_, l * shard_);
  }

  void forward(std::uint64_t l) {
    layer_ = l;
    gather_layer(std::min(l + 1, m_.layers - 1));
    attention_block(l);
    mlp_up();
    linear("down", act_, 0, w_down_, l * ff_, partial_, 0);
    scatter(partial_, scattered_);
    add_norm(mid_, l * shard_, x_, (l + 1) * shard_);
  }

  void head() {
    gather(normed_, gathered_);
    linear("lm_head", gathered(), 0, w_head_, 0, logits_, 0);
    row_kernel("cross_entropy", tokens_, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      cross_entropy(core, {logits_}, {dlogits_}, b, e);
      traffic_ += rows_traffic(e - b, 2 * vocab_, vocab_);
    });
    linear_dx("lm_head_dx", dlogits_, w_head_, 0, partial_);
    linear_dw("lm_head_dw", gathered(), 0, dlogits_, g_head_);
    scatter(partial_, scattered_);
    if (plan_.fsdp > 1)
      rank_.collective("fsdp_reduce_scatter",
                       {CollectiveOp::kReduceScatter, "fsdp", padded(m_.hidden * vocab_, 4), DType::kFp32,
                        kScatterStream, 0},
                       {all(g_head_)}, {all(adam_.gradient)});
    norm_backward(x_, m_.layers * shard_, scattered(), dx_);
  }

  void backward(std::uint64_t l) {
    layer_ = l;
    gather_layer(l == 0 ? 0 : l - 1);
    if (plan_.recompute == Recompute::kFull) {
      norm(x_, l * shard_);
      attention_block(l);
    } else if (plan_.recompute == Recompute::kSelective) {
      norm(mid_, l * shard_);
    }
    if (plan_.recompute != Recompute::kNone) mlp_up();
    // MLP
    tensor_collective(CollectiveOp::kAllGather, all(dx_), all(dgathered_));
    linear_dx("down_dx", whole(dx_), w_down_, l * ff_, dact_);
    linear_dw("down_dw", act_, 0, whole(dx_), g_down_);
    row_kernel("swiglu_bwd", tokens_, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      swiglu_backward(core, {gate_up_}, {dact_}, {dgate_up_}, b, e);
      traffic_ += rows_traffic(e - b, 3 * ff_, 2 * ff_);
    });
    linear_dx("gate_up_dx", dgate_up_, w_gate_up_, l * m_.hidden, partial_);
    scatter(partial_, scattered_);
    linear_dw("gate_up_dw", gathered(), 0, dgate_up_, g_gate_up_);
    norm_backward(mid_, l * shard_, dx_, dmid_);
    // Attention
    tensor_collective(CollectiveOp::kAllGather, all(dmid_), all(dgathered_));
    linear_dx("o_dx", whole(dmid_), w_o_, l * q_, dattn_);
    linear_dw("o_dw", attn_, l * tokens_, whole(dmid_), g_o_);
    attend_backward(l);
    rotate(dqkv_, 0, m_.qk_norm);
    if (plan_.recompute != Recompute::kNone) {
      norm(x_, l * shard_);
      gather(normed_, gathered_);
    }
    linear_dx("qkv_dx", dqkv_, w_qkv_, l * m_.hidden, partial_);
    scatter(partial_, scattered_);
    linear_dw("qkv_dw", gathered(), 0, dqkv_, g_qkv_);
    norm_backward(x_, l * shard_, dmid_, dx_);
    scatter_layer();
  }

  void embed_backward() {
    row_kernel("embedding_bwd", shard_, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      embedding(core, {dx_}, {table_}, b, e);
      traffic_ += rows_traffic(e - b, m_.hidden, m_.hidden);
    });
  }

  void optimizer() {
    row_kernel("optimizer", optimizer_rows_, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      adamw(core, adam_, b, e);
      traffic_ += adamw_traffic(e - b);
    });
  }

  RankFlops count_flops() const {
    RankFlops f;
    const std::uint64_t t = tokens_ * plan_.micro_steps();
    const AttentionShape a = attention_shape();
    const std::uint64_t passes = plan_.micro_steps() * plan_.micro_batch * m_.layers;
    const std::uint64_t exact =
        passes * 2 * a.heads * a.head_dim * a.sequence * a.sequence;  // 4 FLOPs a pair, s^2/2 pairs
    const std::uint64_t tiles = passes * flash_attention_flops(a);
    const std::uint64_t up = 2 * t * m_.layers * m_.hidden * 2 * ff_;
    const std::uint64_t attention_linear = 2 * t * m_.layers * m_.attention_parameters() / plan_.tp;
    f.model = 6 * t * (m_.multiplied_parameters() / plan_.tp) + 3 * exact;
    f.masked = 3 * (tiles - exact);
    f.recompute = tiles / 2;  // the backward kernel's scores
    if (plan_.recompute != Recompute::kNone) f.recompute += up;
    if (plan_.recompute == Recompute::kFull) f.recompute += attention_linear + tiles;
    return f;
  }

  const ModelSpec& m_;
  const TrainingPlan& plan_;
  RankBuilder rank_;
  std::uint64_t tokens_, shard_, q_, kv_, ff_, vocab_;
  std::uint64_t layer_ = 0;
  HbmTraffic traffic_;
  std::uint64_t optimizer_rows_ = 0;
  HbmTensor w_qkv_, w_o_, w_gate_up_, w_down_, w_head_, w_norm_, table_, cos_sin_;
  HbmTensor g_qkv_, g_o_, g_gate_up_, g_down_, g_head_;
  HbmTensor x_, mid_, qkv_, attn_, lse_;
  HbmTensor normed_, gathered_, partial_, scattered_, gate_up_, act_, logits_, dlogits_;
  HbmTensor dx_, dmid_, dgathered_, dact_, dgate_up_, dattn_, dqkv_;
  AdamState adam_;
};

}  // namespace

TrainingStep training_step(const ModelSpec& model, const TrainingPlan& plan, const MachineConfig& machine) {
  return StepBuilder(model, plan, machine).run();
}

}  // namespace trn
