// What one rank keeps in HBM for a training step, and the sizes of its share.
#pragma once

#include "kernels/builder/rank_builder.h"
#include "kernels/pointwise.h"
#include "workloads/layout.h"
#include "workloads/model_spec.h"

namespace trn {

struct StepTensors {
  // Declares them all in the rank's program.
  StepTensors(RankBuilder& rank, const ModelSpec& model, const TrainingPlan& plan);

  std::uint64_t tokens;  // of a micro-batch
  std::uint64_t shard;   // of those, the rank's under sequence parallelism
  std::uint64_t q, kv;   // columns of the rank's query and of its key heads
  std::uint64_t ff;      // columns of its part of the MLP
  std::uint64_t vocab;   // its vocabulary entries
  std::uint64_t optimizer_rows = 0;
  // Gathered weights; their gradients before the reduce-scatter.
  HbmTensor w_qkv, w_o, w_gate_up, w_down, w_head, w_norm, table, cos_sin;
  HbmTensor g_qkv, g_o, g_gate_up, g_down, g_head;
  // Saved for the backward pass.
  HbmTensor x, mid, qkv, attn, lse;
  // Working tensors of the forward and of the backward pass.
  HbmTensor normed, gathered, partial, scattered, gate_up, act, logits, dlogits, targets;
  HbmTensor dx, dmid, dgathered, dact, dgate_up, dattn, dqkv;
  AdamState adam;
};

}  // namespace trn
