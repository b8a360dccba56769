// trnsim train
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "sim/cli/cli.h"
#include "sim/cli/machine_option.h"
#include "sim/cli/print_result.h"
#include "sim/cli/print_training.h"

namespace trn {
namespace {

struct TrainArguments {
  std::string model;
  MachineOption machine;
  std::string layout;
  TrainingPlan plan;
  std::string recompute = "auto";
  std::string lowering = "compiled";
  bool json = false;
  bool brief = false;
  std::string detail = "one";
  std::string output;
};

template <class E>
E choice(const std::string& option, const std::string& text, const std::vector<std::string>& known) {
  const auto it = std::find(known.begin(), known.end(), text);
  if (it == known.end())
    throw UsageError(option + " " + text + ": expected one of " + join(known) +
                     (option == "--recompute" ? ", auto" : ""));
  return static_cast<E>(it - known.begin());
}

// "auto" is the least recomputation that fits; if none does, the most, whose footprint the refusal then
// shows.
Recompute choose_recompute(const TrainArguments& a, const ModelSpec& model, const MachineConfig& machine) {
  if (a.recompute != "auto") return choice<Recompute>("--recompute", a.recompute, kRecomputeNames);
  check_plan(a.plan, model, machine);
  TrainingPlan plan = a.plan;
  for (const Recompute recompute : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
    plan.recompute = recompute;
    if (footprint(model, plan, machine).fits()) break;
  }
  return plan.recompute;
}

// What a `--set` bought: the step without it, and what binds when it bought nothing.
std::string what_if(const TrainingResult& base, const TrainingResult& changed,
                    const std::vector<std::string>& sets) {
  const double before = to_us(base.run.time);
  const double after = to_us(changed.run.time);
  const std::string knobs = join(sets);
  if (std::abs(after - before) > 1e-4 * before)
    return fmt::format("  what-if {}: step {} -> {}, {:.3f}x the tokens/s\n", knobs, time_text(base.run.time),
                       time_text(changed.run.time), before / after);
  const auto largest =
      std::max_element(changed.ledger.begin(), changed.ledger.end(),
                       [](const LedgerRow& a, const LedgerRow& b) { return a.time < b.time; });
  return fmt::format("  what-if {}: changed nothing; what binds is \"{}\", {} of {}\n", knobs, largest->name,
                     time_text(largest->time), time_text(changed.run.time));
}

void run(TrainArguments a) {
  parse_layout(a.layout, a.plan);
  a.plan.lowering = choice<Lowering>("--lowering", a.lowering, kLoweringNames);
  const ModelSpec model = load_model(a.model);
  const ConfigDocument document = a.machine.document();
  const MachineConfig machine = parse_machine(document, parse_machine_name(a.machine.machine).shape);
  a.plan.recompute = choose_recompute(a, model, machine);
  const TrainingResult result = simulate_training(model, a.plan, machine);
  const std::string json = training_json(result, document);
  if (!a.output.empty()) {
    std::filesystem::create_directories(a.output);
    write_file_atomically(a.output + "/result.json", json);
  }
  fmt::print("{}", a.json ? json : training_text(result, document, a.brief));
  if (a.detail == "full" && !a.json) {
    const Picoseconds full = simulate_every_rank(model, a.plan, machine);
    fmt::print("  every rank simulated: step {}, {:+.4f} % against one rank for all\n", time_text(full),
               100 * (to_us(full) / to_us(result.run.time) - 1));
  }
  if (a.json || a.machine.sets.empty()) return;
  MachineOption plain = a.machine;
  plain.sets.clear();
  fmt::print("{}", what_if(simulate_training(model, a.plan, plain.load()), result, a.machine.sets));
}

}  // namespace

void add_train(CLI::App& app) {
  auto a = std::make_shared<TrainArguments>();
  CLI::App* command =
      app.add_subcommand("train", "Predict a training step: tokens/s, MFU, and what limits it");
  command->footer(
      "Example: trnsim train --model Qwen3-32B.json --machine trn2:instance --layout tp=4,fsdp=16 --seq 4096 "
      "--micro-batch 1 --global-batch 16 "
      "--recompute selective");
  command->add_option("--model", a->model, "Hugging Face config.json, or a name in configs/models")
      ->required();
  a->machine.add_to(*command, "trn2:instance");
  command->add_option("--layout", a->layout, "tp=...,fsdp=...")->required();
  command->add_option("--seq", a->plan.sequence, "tokens of a sequence")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  command->add_option("--micro-batch", a->plan.micro_batch, "sequences of a micro-step and group")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  command->add_option("--global-batch", a->plan.global_batch, "sequences of a step")
      ->required()
      ->check(CLI::Range(1, 1 << 24));
  command->add_option("--lnc", a->plan.lnc, "physical cores a rank")
      ->check(CLI::IsMember({1, 2}))
      ->capture_default_str();
  command->add_option("--recompute", a->recompute, "none, selective, full, or auto: the least that fits")
      ->capture_default_str();
  command
      ->add_option("--lowering", a->lowering,
                   "fused: hand-written kernels; compiled: what a graph compiler leaves")
      ->capture_default_str();
  command->add_option("--detail", a->detail, "full: also simulate every rank and compare; for small models")
      ->check(CLI::IsMember({"one", "full"}))
      ->capture_default_str();
  command->add_flag("--json", a->json, "print JSON");
  command->add_flag("--brief", a->brief, "print the headline only");
  command->add_option("-o,--output", a->output, "folder for result.json");
  command->callback([a] { run(*a); });
}

}  // namespace trn
