#include "workloads/footprint.h"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/linear_layers.h"

namespace trn {

std::uint64_t Footprint::total() const {
  std::uint64_t sum = 0;
  for (const FootprintRow& row : rows) sum += row.bytes;
  return sum;
}

namespace {

// Bytes of one layer's saved activations on one rank; bf16 but for the log-sum-exp.
std::uint64_t saved_activations(const ModelSpec& m, const TrainingPlan& plan) {
  const std::uint64_t tokens = plan.sequence * plan.micro_batch;
  const std::uint64_t shard = tokens / plan.tp * m.hidden * 2;  // sequence parallel
  const std::uint64_t qkv = tokens * (m.q_width() + 2 * m.kv_width()) / plan.tp * 2;
  const std::uint64_t attention = tokens * m.q_width() / plan.tp * 2 + tokens * m.heads / plan.tp * 4;
  if (plan.recompute == Recompute::kFull) return shard;
  const std::uint64_t selective =
      shard + qkv + attention + shard;  // block input, q/k/v, attention output, middle input
  if (plan.recompute == Recompute::kSelective) return selective;
  const std::uint64_t norms = 2 * tokens * m.hidden * 2;                // gathered
  const std::uint64_t mlp = tokens * 3 * m.intermediate / plan.tp * 2;  // gate, up, product
  return selective + norms + mlp;
}

}  // namespace

Footprint footprint(const ModelSpec& m, const TrainingPlan& plan, const MachineConfig& machine) {
  const std::uint64_t ranks = plan.tp * plan.fsdp;
  const std::uint64_t shard = (m.total_parameters() + ranks - 1) / ranks;
  const std::uint64_t layer = (m.attention_parameters() + m.mlp_parameters()) / plan.tp;
  const std::uint64_t head = m.vocab * m.hidden / plan.tp;
  const std::uint64_t tokens = plan.sequence * plan.micro_batch;
  Footprint f;
  f.rows = {
      {"parameters, bf16 shard", 2 * shard},
      {"optimizer: fp32 master, two moments", 12 * shard},
      {"gradients, fp32 shard", 4 * shard},
      {"gathered layers, 2 x bf16", 4 * layer},
      {"gathered LM head, bf16", 2 * head},
      {"gradients of a layer before reduce-scatter, fp32", 4 * layer},
      {"saved activations, all layers", m.layers * saved_activations(m, plan)},
      {"working activations of a layer",
       tokens *
           (4 * m.hidden + 2 * (m.q_width() + 2 * m.kv_width()) / plan.tp + 5 * m.intermediate / plan.tp) *
           2},
      {"logits and their gradient, bf16", 2 * tokens * m.vocab / plan.tp * 2},
      {"quantised operands of a layer, both ways round", quantized_bytes(m, plan, machine)},
      {"runtime, micro-code", machine.hbm.reserved_mib_per_core * plan.lnc << 20}};
  f.rows.erase(
      std::remove_if(f.rows.begin(), f.rows.end(), [](const FootprintRow& row) { return row.bytes == 0; }),
      f.rows.end());
  f.capacity = (machine.hbm.capacity_mib << 20) / ranks_per_chip(machine, plan.lnc);
  return f;
}

std::string footprint_table(const Footprint& f) {
  std::string out;
  for (const FootprintRow& row : f.rows)
    out += fmt::format("  {:<50} {:>9.3f} GiB\n", row.name, static_cast<double>(row.bytes) / (1u << 30));
  out +=
      fmt::format("  {:<50} {:>9.3f} GiB of {:.3f} GiB a rank\n", "total",
                  static_cast<double>(f.total()) / (1u << 30), static_cast<double>(f.capacity) / (1u << 30));
  return out;
}

}  // namespace trn
