#include "workloads/step_tensors.h"

namespace trn {

StepTensors::StepTensors(RankBuilder& rank, const ModelSpec& m, const TrainingPlan& plan)
    : tokens(plan.sequence * plan.micro_batch),
      shard(tokens / plan.tp),
      q(m.q_width() / plan.tp),
      kv(m.kv_width() / plan.tp),
      ff(m.intermediate / plan.tp),
      vocab(m.vocab / plan.tp) {
  const std::uint64_t layers = m.layers;
  const auto bf16 = [&](const char* name, std::uint64_t rows, std::uint64_t columns) {
    return rank.hbm(name, DType::kBf16, rows, columns);
  };
  const auto fp32 = [&](const char* name, std::uint64_t rows, std::uint64_t columns) {
    return rank.hbm(name, DType::kFp32, rows, columns);
  };
  // Gathered weights; the layers lie below each other.
  w_qkv = bf16("w_qkv", layers * m.hidden, q + 2 * kv);
  w_o = bf16("w_o", layers * q, m.hidden);
  w_gate_up = bf16("w_gate_up", layers * m.hidden, 2 * ff);
  w_down = bf16("w_down", layers * ff, m.hidden);
  w_head = bf16("w_head", m.hidden, vocab);
  w_norm = bf16("w_norm", 128, m.hidden);
  table = bf16("embedding", tokens, m.hidden);
  cos_sin = bf16("cos_sin", tokens, 2 * m.head_dim);
  // Their gradients before the reduce-scatter: one layer's, used again by the next.
  g_qkv = fp32("g_qkv", m.hidden, q + 2 * kv);
  g_o = fp32("g_o", q, m.hidden);
  g_gate_up = fp32("g_gate_up", m.hidden, 2 * ff);
  g_down = fp32("g_down", ff, m.hidden);
  g_head = fp32("g_head", m.hidden, vocab);
  // Saved for the backward pass, layer below layer.
  x = bf16("x", (layers + 1) * shard, m.hidden);
  mid = bf16("mid", layers * shard, m.hidden);
  qkv = bf16("qkv", layers * tokens, q + 2 * kv);
  attn = bf16("attn", layers * tokens, q);
  lse = fp32("lse", layers * tokens, m.heads / plan.tp);
  // Working tensors.
  normed = bf16("normed", shard, m.hidden);
  gathered = bf16("gathered", tokens, m.hidden);
  partial = bf16("partial", tokens, m.hidden);
  scattered = bf16("scattered", shard, m.hidden);
  gate_up = bf16("gate_up", tokens, 2 * ff);
  act = bf16("act", tokens, ff);
  logits = bf16("logits", tokens, vocab);
  dlogits = bf16("dlogits", tokens, vocab);
  targets = rank.hbm("targets", DType::kInt32, tokens, 1);
  dx = bf16("dx", shard, m.hidden);
  dmid = bf16("dmid", shard, m.hidden);
  dgathered = bf16("dgathered", tokens, m.hidden);
  dact = bf16("dact", tokens, ff);
  dgate_up = bf16("dgate_up", tokens, 2 * ff);
  dattn = bf16("dattn", tokens, q);
  dqkv = bf16("dqkv", tokens, q + 2 * kv);
  const std::uint64_t ranks = plan.tp * plan.fsdp;
  optimizer_rows = ((m.total_parameters() + ranks - 1) / ranks + kAdamColumns - 1) / kAdamColumns;
  adam = {fp32("master", optimizer_rows, kAdamColumns), fp32("momentum", optimizer_rows, kAdamColumns),
          fp32("variance", optimizer_rows, kAdamColumns), fp32("gradient", optimizer_rows, kAdamColumns),
          bf16("parameter", optimizer_rows, kAdamColumns)};
}

}  // namespace trn
