// trnsim train
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "sim/cli/cli.h"
#include "sim/cli/machine_option.h"
#include "sim/cli/print_result.h"
#include "sim/cli/print_training.h"
#include "sim/cli/recording_option.h"
#include "sim/cli/training_options.h"
#include "sim/study/condition.h"
#include "sim/study/stored_result.h"
#include "sim/study/training_interval.h"

namespace trn {
namespace {

struct TrainArguments {
  TrainingQuestion question;
  MachineOption machine;
  RecordingOption recording;
  bool json = false;
  bool brief = false;
  bool interval = true;
  std::string detail = "one";
  std::string output;
  std::vector<std::string> assertions;
};

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

TrainingResult simulate(const TrainingQuestion& question, const Machine& machine,
                        RunListener* listener = nullptr) {
  const TrainingSetting s = training_setting(question, machine.config);
  return simulate_training(s.model, s.plan, machine.config, listener);
}

void run(TrainArguments a) {
  a.question.machine = a.machine;
  std::vector<Condition> conditions;
  for (const std::string& text : a.assertions) conditions.push_back(parse_condition("--assert", text));
  const Machine machine = a.machine.resolve();
  a.recording.folder = a.output;
  const std::unique_ptr<Recording> recording = a.recording.start();
  // Of the run that is asked for: rank 0's, or, with --detail full, every rank's.
  RunListener* const listener = listener_of(recording);
  const bool full = a.detail == "full";
  TrainingResult result = simulate(a.question, machine, full ? nullptr : listener);
  if (!a.brief && a.interval) result.interval = training_interval(a.question, machine);
  nlohmann::ordered_json stored = training_json(result, machine.document);
  add_stored(stored, a.question, answer(result));
  const std::string json = stored.dump(2) + '\n';
  if (!a.output.empty()) {
    std::filesystem::create_directories(a.output);
    write_file_atomically(a.output + "/result.json", json);
  }
  fmt::print("{}", a.json ? json : training_text(result, machine.document, a.brief));
  if (full && (!a.json || listener != nullptr)) {
    const TrainingSetting s = training_setting(a.question, machine.config);
    const Picoseconds time = simulate_every_rank(s.model, s.plan, machine.config, listener).time;
    if (!a.json)
      fmt::print("  every rank simulated: step {}, {:+.4f} % against one rank for all\n", time_text(time),
                 100 * (to_us(time) / to_us(result.run.time) - 1));
  }
  const std::string written = recording != nullptr ? recording->finish() : "";
  if (!a.json) fmt::print("{}", written);
  if (!a.json && !a.machine.sets.empty()) {
    MachineOption plain = a.machine;
    plain.sets.clear();
    try {
      fmt::print("{}", what_if(simulate(a.question, plain.resolve()), result, a.machine.sets));
    } catch (const UserError& error) {  // a plan that only the changed machine takes
      fmt::print("  what-if {}: not compared, without it: {}\n", join(a.machine.sets), error.what());
    }
  }
  check_conditions(conditions, answer(result));
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
  add_training_options(*command, a->question);
  a->machine.add_to(*command, "trn2:instance");
  command->add_option("--detail", a->detail, "full: also simulate every rank and compare; for small models")
      ->check(CLI::IsMember({"one", "full"}))
      ->capture_default_str();
  a->recording.add_to(*command);
  command
      ->add_option(
          "--assert", a->assertions,
          "METRIC>=NUMBER or METRIC<NUMBER, such as tokens_per_s>=14000; else exit code 7; repeatable")
      ->allow_extra_args(false);
  command->add_flag("--json", a->json, "print JSON");
  command->add_flag("--brief", a->brief, "print the headline only");
  command->add_flag("!--no-interval", a->interval,
                    "leave out the two runs with all unannounced figures at one end");
  command->add_option("-o,--output", a->output, "folder for result.json and --tables");
  command->callback([a] { run(*a); });
}

}  // namespace trn
