#include "workloads/training_step.h"

#include <algorithm>

#include "kernels/builder/rank_builder.h"
#include "kernels/flash_attention.h"
#include "kernels/pointwise.h"
#include "workloads/linear_layers.h"
#include "workloads/step_tensors.h"

namespace trn {
namespace {

constexpr std::uint32_t kTensorStream = 0;
constexpr std::uint32_t kGatherStream = 1;
constexpr std::uint32_t kScatterStream = 2;

AttentionShape shape_of_attention(const ModelSpec& model, const TrainingPlan& plan) {
  return {plan.sequence, model.heads / plan.tp, model.kv_heads / plan.tp, model.head_dim};
}

class StepBuilder {
 public:
  StepBuilder(const ModelSpec& model, const TrainingPlan& plan, const MachineConfig& machine)
      : m_(model),
        plan_(plan),
        rank_(machine, model.name, plan.lnc),
        t_(rank_, model, plan),
        linear_(rank_, model, plan, traffic_) {}

  TrainingStep run() {
    repeat(plan_.micro_steps(), [&](std::uint64_t) {
      head_gather();
      embed();
      repeat(m_.layers, [&](std::uint64_t l) { forward(l); });
      head();
      repeat(m_.layers, [&](std::uint64_t i) { backward(m_.layers - 1 - i); });
      embed_backward();
    });
    optimizer();
    TrainingStep out;
    out.flops = step_flops(m_, plan_);
    out.traffic = traffic_;
    rank_.program().model_flops = out.flops.model;
    out.program = rank_.take();
    return out;
  }

 private:
  // Micro-steps and layers: the builder writes some and makes the rest a loop, all of the same traffic.
  void repeat(std::uint64_t count, const std::function<void(std::uint64_t)>& body) {
    std::uint64_t written = 0;
    HbmTraffic one;
    rank_.repeat(count, [&](std::uint64_t i) {
      const HbmTraffic before = traffic_;
      body(i);
      one = traffic_ - before;
      ++written;
    });
    traffic_ += one * (count - written);
  }

  static HbmBlock all(HbmTensor t) { return {t, 0, t.rows, 0, t.columns}; }
  static HbmBlock rows(HbmTensor t, std::uint64_t layer, std::uint64_t count) {
    return {t, layer * count, count, 0, t.columns};
  }

  // --- collectives -------------------------------------------------------------------------------------
  void tensor_collective(CollectiveOp op, HbmBlock from, HbmBlock to) {
    if (plan_.tp == 1) return;
    const std::uint64_t bytes = t_.tokens * m_.hidden * 2;
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
        {rows(t_.w_qkv, l, m_.hidden), rows(t_.w_o, l, t_.q), rows(t_.w_gate_up, l, m_.hidden),
         rows(t_.w_down, l, t_.ff)});
  }
  void scatter_layer() {
    if (plan_.fsdp == 1) return;
    rank_.collective(
        "fsdp_reduce_scatter",
        {CollectiveOp::kReduceScatter, "fsdp", padded(layer_elements(), 4), DType::kFp32, kScatterStream, 0},
        {all(t_.g_qkv), all(t_.g_o), all(t_.g_gate_up), all(t_.g_down)}, {all(t_.adam.gradient)});
  }
  void head_gather() {
    if (plan_.fsdp == 1) return;
    rank_.collective("fsdp_all_gather",
                     {CollectiveOp::kAllGather, "fsdp", padded(2 * m_.hidden * t_.vocab, 2), DType::kBf16,
                      kGatherStream, 0},
                     {}, {all(t_.w_head), all(t_.table)});
    gather_layer(0);
  }

  // --- kernels --------------------------------------------------------------------------------------------
  using RowBody = std::function<void(CoreBuilder&, std::uint64_t, std::uint64_t)>;
  void row_kernel(const std::string& region, std::uint64_t rows, const RowBody& body) {
    rank_.kernel(region, rows, 128, body);
  }
  Rows weight() const { return {t_.w_norm}; }

  void norm(HbmTensor x, std::uint64_t row) {
    row_kernel("norm", t_.shard, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      rmsnorm(core, {x, row}, weight(), {t_.normed}, b, e);
      traffic_ += rows_traffic(e - b, m_.hidden, m_.hidden, m_.hidden);
    });
  }
  void add_norm(HbmTensor a, std::uint64_t a_row, HbmTensor sum, std::uint64_t sum_row) {
    row_kernel("norm", t_.shard, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      add_rmsnorm(core, {a, a_row}, {scattered()}, weight(), {sum, sum_row}, {t_.normed}, b, e);
      traffic_ += rows_traffic(e - b, 2 * m_.hidden, 2 * m_.hidden, m_.hidden);
    });
  }
  void norm_backward(HbmTensor x, std::uint64_t row, HbmTensor skip, HbmTensor out) {
    row_kernel("norm_bwd", t_.shard, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      rmsnorm_backward(core, {x, row}, weight(), {scattered()}, {skip}, {out}, b, e);
      traffic_ += rows_traffic(e - b, 3 * m_.hidden, m_.hidden, m_.hidden);
    });
  }
  // Rotates the query and key columns in place.
  void rotate(HbmTensor t, std::uint64_t row, bool with_norm) {
    const std::uint64_t heads = (t_.q + t_.kv) / m_.head_dim;
    row_kernel("rope", t_.tokens, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      rope(core, {t, row}, {t_.cos_sin}, {t, row}, heads, m_.head_dim, with_norm, b, e);
      traffic_ += rows_traffic(e - b, t_.q + t_.kv + 2 * m_.head_dim, t_.q + t_.kv);
    });
  }

  // With one rank a group the gathered and the scattered tensor are the local ones.
  HbmTensor gathered() const { return plan_.tp == 1 ? t_.normed : t_.gathered; }
  HbmTensor scattered() const { return plan_.tp == 1 ? t_.partial : t_.scattered; }
  HbmTensor whole(HbmTensor shard) const { return plan_.tp == 1 ? shard : t_.dgathered; }

  AttentionShape attention_shape() const { return shape_of_attention(m_, plan_); }
  AttentionForward attention(std::uint64_t l, std::uint64_t sequence) const {
    AttentionForward a;
    a.shape = attention_shape();
    a.q = a.k = a.v = t_.qkv;
    a.k_column = t_.q;
    a.v_column = t_.q + t_.kv;
    a.out = t_.attn;
    a.lse = t_.lse;
    a.row = l * t_.tokens + sequence * plan_.sequence;
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
                       a.dout = t_.dattn;
                       a.dq = a.dk = a.dv = t_.dqkv;
                       a.grad_row = sequence * plan_.sequence;
                       flash_attention_backward(core, a, b, e);
                       traffic_ += flash_attention_backward_traffic(attention_shape(), e - b);
                     });
  }

  // --- layers ---------------------------------------------------------------------------------------------
  void embed() {
    row_kernel("embedding", t_.shard, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      embedding(core, {t_.table}, {t_.x}, b, e);
      traffic_ += rows_traffic(e - b, m_.hidden, m_.hidden);
    });
    norm(t_.x, 0);
  }

  void mlp_up(std::uint64_t l) {
    gather(t_.normed, t_.gathered);
    linear_.forward(Linear::kGateUp, l, {gathered()}, {t_.w_gate_up, l * m_.hidden}, {t_.gate_up});
    row_kernel("swiglu", t_.tokens, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      swiglu(core, {t_.gate_up}, {t_.act}, b, e);
      traffic_ += rows_traffic(e - b, 2 * t_.ff, t_.ff);
    });
  }

  // From the normed input to the normed input of the MLP.
  void attention_block(std::uint64_t l) {
    gather(t_.normed, t_.gathered);
    linear_.forward(Linear::kQkv, l, {gathered()}, {t_.w_qkv, l * m_.hidden}, {t_.qkv, l * t_.tokens});
    rotate(t_.qkv, l * t_.tokens, m_.qk_norm);
    attend(l);
    linear_.forward(Linear::kO, l, {t_.attn, l * t_.tokens}, {t_.w_o, l * t_.q}, {t_.partial});
    scatter(t_.partial, t_.scattered);
    add_norm(t_.x, l * t_.shard, t_.mid, l * t_.shard);
  }

  void forward(std::uint64_t l) {
    gather_layer(std::min(l + 1, m_.layers - 1));
    attention_block(l);
    mlp_up(l);
    linear_.forward(Linear::kDown, l, {t_.act}, {t_.w_down, l * t_.ff}, {t_.partial});
    scatter(t_.partial, t_.scattered);
    add_norm(t_.mid, l * t_.shard, t_.x, (l + 1) * t_.shard);
  }

  void head() {
    gather(t_.normed, t_.gathered);
    linear_.forward(Linear::kHead, 0, {gathered()}, {t_.w_head}, {t_.logits});
    row_kernel("cross_entropy", t_.tokens, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      cross_entropy(core, {t_.logits}, {t_.targets}, {t_.dlogits}, b, e);
      traffic_ += rows_traffic(e - b, 2 * t_.vocab + 2, t_.vocab);  // a target has 4 bytes
    });
    linear_.dx(Linear::kHead, 0, t_.dlogits, {t_.w_head}, t_.partial);
    linear_.dw(Linear::kHead, 0, {gathered()}, t_.dlogits, t_.g_head);
    scatter(t_.partial, t_.scattered);
    if (plan_.fsdp > 1)
      rank_.collective("fsdp_reduce_scatter",
                       {CollectiveOp::kReduceScatter, "fsdp", padded(m_.hidden * t_.vocab, 4), DType::kFp32,
                        kScatterStream, 0},
                       {all(t_.g_head)}, {all(t_.adam.gradient)});
    norm_backward(t_.x, m_.layers * t_.shard, scattered(), t_.dx);
  }

  void backward(std::uint64_t l) {
    gather_layer(l == 0 ? 0 : l - 1);
    if (plan_.recompute == Recompute::kFull) {
      norm(t_.x, l * t_.shard);
      attention_block(l);
    } else if (plan_.recompute == Recompute::kSelective) {
      norm(t_.mid, l * t_.shard);
    }
    if (plan_.recompute != Recompute::kNone) mlp_up(l);
    // MLP
    tensor_collective(CollectiveOp::kAllGather, all(t_.dx), all(t_.dgathered));
    linear_.dx(Linear::kDown, l, whole(t_.dx), {t_.w_down, l * t_.ff}, t_.dact);
    linear_.dw(Linear::kDown, l, {t_.act}, whole(t_.dx), t_.g_down);
    row_kernel("swiglu_bwd", t_.tokens, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      swiglu_backward(core, {t_.gate_up}, {t_.dact}, {t_.dgate_up}, b, e);
      traffic_ += rows_traffic(e - b, 3 * t_.ff, 2 * t_.ff);
    });
    linear_.dx(Linear::kGateUp, l, t_.dgate_up, {t_.w_gate_up, l * m_.hidden}, t_.partial);
    scatter(t_.partial, t_.scattered);
    linear_.dw(Linear::kGateUp, l, {gathered()}, t_.dgate_up, t_.g_gate_up);
    norm_backward(t_.mid, l * t_.shard, t_.dx, t_.dmid);
    // Attention
    tensor_collective(CollectiveOp::kAllGather, all(t_.dmid), all(t_.dgathered));
    linear_.dx(Linear::kO, l, whole(t_.dmid), {t_.w_o, l * t_.q}, t_.dattn);
    linear_.dw(Linear::kO, l, {t_.attn, l * t_.tokens}, whole(t_.dmid), t_.g_o);
    attend_backward(l);
    rotate(t_.dqkv, 0, m_.qk_norm);
    if (plan_.recompute != Recompute::kNone) {
      norm(t_.x, l * t_.shard);
      gather(t_.normed, t_.gathered);
    }
    linear_.dx(Linear::kQkv, l, t_.dqkv, {t_.w_qkv, l * m_.hidden}, t_.partial);
    scatter(t_.partial, t_.scattered);
    linear_.dw(Linear::kQkv, l, {gathered()}, t_.dqkv, t_.g_qkv);
    norm_backward(t_.x, l * t_.shard, t_.dmid, t_.dx);
    scatter_layer();
  }

  void embed_backward() {
    row_kernel("embedding_bwd", t_.shard, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      embedding(core, {t_.dx}, {t_.table}, b, e);
      traffic_ += rows_traffic(e - b, m_.hidden, m_.hidden);
    });
  }

  void optimizer() {
    row_kernel("optimizer", t_.optimizer_rows, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
      adamw(core, t_.adam, b, e);
      traffic_ += adamw_traffic(e - b);
    });
  }

  const ModelSpec& m_;
  const TrainingPlan& plan_;
  RankBuilder rank_;
  StepTensors t_;
  HbmTraffic traffic_;
  LinearLayers linear_;
};

}  // namespace

RankFlops step_flops(const ModelSpec& model, const TrainingPlan& plan) {
  RankFlops f;
  const std::uint64_t t = plan.micro_batch * plan.sequence * plan.micro_steps();
  const AttentionShape a = shape_of_attention(model, plan);
  const std::uint64_t passes = plan.micro_steps() * plan.micro_batch * model.layers;
  const std::uint64_t exact =
      passes * 2 * a.heads * a.head_dim * a.sequence * a.sequence;  // 4 FLOPs a pair, s^2/2 pairs
  const std::uint64_t tiles = passes * flash_attention_flops(a);
  const std::uint64_t up = 2 * t * model.layers * model.hidden * 2 * (model.intermediate / plan.tp);
  const std::uint64_t attention_linear = 2 * t * model.layers * model.attention_parameters() / plan.tp;
  f.model = 6 * t * (model.multiplied_parameters() / plan.tp) + 3 * exact;
  f.masked = 3 * (tiles - exact);
  if (plan.recompute != Recompute::kNone) f.recompute_gemms += up;
  if (plan.recompute == Recompute::kFull) f.recompute_gemms += attention_linear;
  f.recompute = f.recompute_gemms + tiles / 2;  // the backward kernel's scores
  if (plan.recompute == Recompute::kFull) f.recompute += tiles;
  f.model_gemms = 6 * t * model.layers * ((model.attention_parameters() + model.mlp_parameters()) / plan.tp);
  return f;
}

TrainingStep training_step(const ModelSpec& model, const TrainingPlan& plan, const MachineConfig& machine) {
  return StepBuilder(model, plan, machine).run();
}

}  // namespace trn
