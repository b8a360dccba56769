#include "workloads/layout.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw ConfigError("layout: " + what); }

// "1, 2, 4, 8": the divisors of n up to `limit`.
std::string divisors(std::uint64_t n, std::uint64_t limit) {
  std::vector<std::string> out;
  for (std::uint64_t d = 1; d <= std::min(n, limit); ++d)
    if (n % d == 0) out.push_back(std::to_string(d));
  return join(out);
}

void must_divide(std::uint64_t tp, std::uint64_t n, const std::string& what, std::uint64_t limit) {
  if (n % tp != 0)
    refuse("tp=" + std::to_string(tp) + " does not divide " + std::to_string(n) + ' ' + what +
           "; use tp of " + divisors(n, limit));
}

// Which gemms the machine's array and engines can train with.
void check_gemms(const TrainingPlan& plan, const ModelSpec& model, const MachineConfig& machine) {
  const std::string gemms = "gemms " + kGemmsNames[static_cast<std::size_t>(plan.gemms)] + ": ";
  const bool mx = plan.gemms == Gemms::kMxfp8 || plan.gemms == Gemms::kMxfp4;
  if (plan.gemms == Gemms::kFp8 && !machine.core.tensor.fp8_double_row)
    refuse(gemms + machine.name + " multiplies FP8 no faster than bf16; use bf16, or trn2 or trn3");
  if (mx && machine.core_version < 4)
    refuse(gemms + machine.name + " has no MX instructions, NeuronCore-v4 has; use fp8 or bf16, or trn3");
  if (plan.gemms == Gemms::kMxfp4 && !machine.core.vector.quantize_mxfp4)
    refuse(gemms + "no engine of " + machine.name +
           " writes FP4 (QuantizeMX makes FP8), and what a host quantised once does not follow training; use "
           "mxfp8, or ask what if with --set neuron_core.vector.quantize_mxfp4=true");
  if (!mx) return;
  // Every dimension is some gemm's K; four rows of 32 partitions share an instruction.
  const std::uint64_t widths[] = {model.hidden, model.q_width() / plan.tp,
                                  (model.q_width() + 2 * model.kv_width()) / plan.tp,
                                  model.intermediate / plan.tp, 2 * model.intermediate / plan.tp};
  for (const std::uint64_t width : widths)
    if (width % 128 != 0)
      refuse(gemms + "a matrix of " + std::to_string(width) +
             " columns a rank; MX contracts multiples of 128; use a smaller tp, or fp8");
}

}  // namespace

std::uint64_t ranks_per_chip(const MachineConfig& machine, std::uint64_t lnc) {
  return machine.chip.neuron_cores / lnc;
}

void parse_layout(const std::string& text, TrainingPlan& plan) {
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const std::size_t equals = item.find('=');
    const std::string axis = item.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : item.substr(equals + 1);
    const bool digits = !value.empty() && value.size() < 10 &&
                        std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits || std::stoull(value) == 0)
      throw UsageError("--layout " + text + ": expected axis=size, axis=size such as tp=4,fsdp=16; found \"" +
                       item + '"');
    if (axis == "tp")
      plan.tp = std::stoull(value);
    else if (axis == "fsdp")
      plan.fsdp = std::stoull(value);
    else
      throw UsageError("--layout " + text + ": unknown axis \"" + axis +
                       "\"; known: tp, fsdp (pp, cp and ep come later)");
    begin = end + 1;
  }
}

void check_plan(const TrainingPlan& plan, const ModelSpec& model, const MachineConfig& machine) {
  if (model.experts > 0) refuse(model.name + " is a mixture of experts; training covers dense models");
  if (std::find(machine.lnc_allowed.begin(), machine.lnc_allowed.end(), plan.lnc) ==
      machine.lnc_allowed.end())
    refuse("LNC=" + std::to_string(plan.lnc) + " is not available on " + machine.name);
  const std::uint64_t per_chip = ranks_per_chip(machine, plan.lnc);
  const std::uint64_t ranks = machine.fabric.chips() * per_chip;
  must_divide(plan.tp, model.heads, "heads", per_chip);
  must_divide(plan.tp, model.kv_heads, "KV heads", per_chip);
  must_divide(plan.tp, model.intermediate, "of the MLP width", per_chip);
  must_divide(plan.tp, model.vocab, "vocabulary entries", per_chip);
  must_divide(plan.tp, plan.sequence, "tokens of the sequence", per_chip);
  if (per_chip % plan.tp != 0)
    refuse("tp=" + std::to_string(plan.tp) + ": a chip has " + std::to_string(per_chip) +
           " ranks, and a tensor-parallel group stays inside the chip; use tp of " +
           divisors(per_chip, per_chip));
  if (plan.tp * plan.fsdp != ranks)
    refuse("tp=" + std::to_string(plan.tp) + " x fsdp=" + std::to_string(plan.fsdp) + " is " +
           std::to_string(plan.tp * plan.fsdp) + " ranks; " + machine.name + ':' + machine.shape + " has " +
           std::to_string(ranks) + " (LNC=" + std::to_string(plan.lnc) +
           "); use fsdp=" + std::to_string(ranks / plan.tp));
  if (plan.global_batch % (plan.fsdp * plan.micro_batch) != 0)
    refuse("global batch " + std::to_string(plan.global_batch) + " does not divide into micro-batches of " +
           std::to_string(plan.micro_batch) + " on fsdp=" + std::to_string(plan.fsdp) +
           "; use a multiple of " + std::to_string(plan.fsdp * plan.micro_batch));
  if (plan.sequence % (128 * plan.tp) != 0)
    refuse("sequence " + std::to_string(plan.sequence) +
           " must be a multiple of 128 x tp = " + std::to_string(128 * plan.tp));
  // Far above any memory; the byte counts of the footprint stay below 2^64.
  if (plan.sequence * plan.micro_batch > std::uint64_t{1} << 28)
    refuse("sequence " + std::to_string(plan.sequence) + " x micro-batch " +
           std::to_string(plan.micro_batch) + ": a micro-step holds at most 2^28 tokens");
  if (model.head_dim > 128)
    refuse("head_dim " + std::to_string(model.head_dim) + ": attention covers heads up to 128");
  if (machine.core.dma.transpose_efficiency_percent == 0)
    refuse(machine.name + " has no DMA transpose, which the training kernels rely on; use trn2 or trn3");
  check_gemms(plan, model, machine);
}

}  // namespace trn
