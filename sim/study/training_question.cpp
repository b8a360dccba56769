#include "sim/study/training_question.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

template <class E>
E choice(const std::string& option, const std::string& text, const std::vector<std::string>& known) {
  const auto it = std::find(known.begin(), known.end(), text);
  if (it == known.end())
    throw UsageError(option + ' ' + text + ": expected one of " + join(known) +
                     (option == "--recompute" ? ", auto" : ""));
  return static_cast<E>(it - known.begin());
}

std::uint64_t sequences_of_step(const TrainingQuestion& q) {
  if (!q.tokens_per_step) {
    if (q.global_batch == 0) throw UsageError("--global-batch or --tokens-per-step is required");
    return q.global_batch;
  }
  if (q.global_batch != 0) throw UsageError("--global-batch and --tokens-per-step exclude each other");
  if (*q.tokens_per_step == 0 || *q.tokens_per_step % q.sequence != 0)
    throw UsageError("--tokens-per-step " + std::to_string(*q.tokens_per_step) +
                     ": expected a multiple of the sequence, " + std::to_string(q.sequence));
  return *q.tokens_per_step / q.sequence;
}

void read_layout(const std::string& layout, TrainingPlan& plan, const MachineConfig& machine) {
  plan.fsdp = 0;
  parse_layout(layout, plan);
  if (plan.fsdp == 0)
    plan.fsdp =
        std::max<std::uint64_t>(1, machine.fabric.chips() * ranks_per_chip(machine, plan.lnc) / plan.tp);
}

Recompute least_that_fits(TrainingPlan plan, const ModelSpec& model, const MachineConfig& machine) {
  check_plan(plan, model, machine);
  for (const Recompute recompute : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
    plan.recompute = recompute;
    if (footprint(model, plan, machine).fits()) break;
  }
  return plan.recompute;
}

}  // namespace

TrainingSetting training_setting(const TrainingQuestion& q, const MachineConfig& machine) {
  if (q.model.empty()) throw UsageError("--model is required: a config.json, or a name in configs/models");
  if (q.layout.empty()) throw UsageError("--layout is required, such as tp=4,fsdp=16, or tp=4 for all ranks");
  TrainingSetting s{load_model(q.model), {}};
  s.plan.lnc = q.lnc;
  s.plan.sequence = q.sequence;
  s.plan.micro_batch = q.micro_batch;
  s.plan.global_batch = sequences_of_step(q);
  s.plan.lowering = choice<Lowering>("--lowering", q.lowering, kLoweringNames);
  s.plan.gemms = choice<Gemms>("--gemms", q.gemms, kGemmsNames);
  read_layout(q.layout, s.plan, machine);
  s.plan.recompute = q.recompute == "auto" ? least_that_fits(s.plan, s.model, machine)
                                           : choice<Recompute>("--recompute", q.recompute, kRecomputeNames);
  return s;
}

}  // namespace trn
