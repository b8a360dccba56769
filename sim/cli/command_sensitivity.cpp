// trnsim sensitivity, trnsim breakeven
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "sim/cli/cli.h"
#include "sim/cli/machine_option.h"
#include "sim/cli/question_options.h"
#include "sim/study/break_even.h"
#include "sim/study/sensitivity.h"

namespace trn {
namespace {

struct KnobArguments {
  QuestionOptions question;
  MachineOption machine;
  StudyOutput output;
  std::string metric;
  std::string knob, until;
  double most = 64;
};

std::string change_text(const KnobChange& change, double base, bool more_is_better) {
  if (!change.value) return "-";
  return fmt::format("{:.3f}x", more_is_better ? ratio(*change.value, base) : ratio(base, *change.value));
}

// A bar of 10 % a letter, up to 2x.
std::string bar(double swing) {
  return std::string(static_cast<std::size_t>(std::min(40.0, swing * 40 + 0.5)), '#');
}

std::string sensitivity_text(const Sensitivity& s) {
  const double base = s.base.metric(s.metric);
  const MetricInfo& info = metric_info(s.metric);
  std::string out = fmt::format("{} {:.6g} {}; what binds: {}\n  {:<34} {:>10} {:>10} {:>10}  {:<10} {}\n",
                                s.metric, base, info.unit, s.base.limiter, "times as good with", "10 % worse",
                                "10 % better", "2x better", "", "");
  std::vector<std::string> idle;
  for (const KnobEffect& e : s.effects) {
    if (e.verdict == KnobVerdict::kNoEffect) {
      idle.emplace_back(e.knob->label);
      continue;
    }
    out += fmt::format("  {:<34} {:>10} {:>10} {:>10}  {:<10} {}", e.knob->label,
                       change_text(e.changes[0], base, info.more_is_better),
                       change_text(e.changes[1], base, info.more_is_better),
                       change_text(e.changes[2], base, info.more_is_better),
                       kKnobVerdicts[static_cast<std::size_t>(e.verdict)], bar(e.swing));
    if (e.verdict == KnobVerdict::kSaturates) out += "  then binds: " + e.changes[2].limiter;
    if (e.verdict == KnobVerdict::kRefused)
      for (const KnobChange& change : e.changes)
        if (!change.value) {
          out += "  " + change.change + ": " + change.error;
          break;
        }
    out += '\n';
  }
  return out + (idle.empty() ? "" : "  no effect: " + join(idle) + '\n');
}

nlohmann::ordered_json sensitivity_json(const Sensitivity& s, const KnobArguments& a) {
  nlohmann::ordered_json json{{"kind", "sensitivity"},     {"schema", 1},
                              {"command", command_line()}, {"machine", a.machine.machine},
                              {"metric", s.metric},        {"base", s.base.metric(s.metric)},
                              {"limiter", s.base.limiter}};
  for (const KnobEffect& e : s.effects) {
    nlohmann::ordered_json row{{"key", e.knob->name},
                               {"label", e.knob->label},
                               {"subsystem", e.knob->subsystem},
                               {"figures", e.keys},
                               {"verdict", kKnobVerdicts[static_cast<std::size_t>(e.verdict)]},
                               {"limited_by", e.changes.back().limiter}};
    for (const KnobChange& change : e.changes)
      row["changes"].push_back(
          {{"change", change.change},
           {"metric", change.value ? nlohmann::ordered_json(*change.value) : nlohmann::ordered_json()}});
    json["knobs"].push_back(std::move(row));
  }
  return json;
}

void run_sensitivity(const KnobArguments& a) {
  const Sensitivity s = sensitivity(a.question.question(a.machine), a.metric, a.output.jobs);
  a.output.write("sensitivity.json", sensitivity_text(s), sensitivity_json(s, a));
}

std::string break_even_text(const BreakEven& r, const KnobArguments& a, const Condition& until) {
  const auto value = [&](const Answer& answer) { return answer.metric(until.metric); };
  if (r.holds_already)
    return fmt::format("{}: holds already, it is {:.6g}\n", until.text, value(r.tried.front().second));
  if (!r.factor)
    return fmt::format("{}: unreachable with {}: limited by {}\n  {} is {:.6g} now, {:.6g} at {:g}x\n",
                       until.text, a.knob, r.at_most.limiter, until.metric, value(r.tried.front().second),
                       value(r.at_most), r.most);
  std::string out = fmt::format("{}: from {} {:.3g}x as good\n", until.text, a.knob, *r.factor);
  for (const auto& [factor, answer] : r.tried)
    out += fmt::format("  {:>9.3f}x  {} {:<12.6g} {}  {}\n", factor, until.metric, value(answer),
                       until.holds(answer) ? "holds" : "     ", answer.limiter);
  return out;
}

void run_break_even(const KnobArguments& a) {
  const Condition until = parse_condition("--until", a.until);
  const BreakEven r = break_even(a.question.question(a.machine), a.knob, until, a.most, a.output.jobs);
  nlohmann::ordered_json json{{"kind", "breakeven"},
                              {"schema", 1},
                              {"command", command_line()},
                              {"knob", a.knob},
                              {"until", until.text},
                              {"reached", r.factor.has_value()},
                              {"holds_already", r.holds_already}};
  if (r.factor) json["factor"] = *r.factor;
  json["limiter_at_most"] = r.at_most.limiter;
  for (const auto& [factor, answer] : r.tried)
    json["tried"].push_back({{"factor", factor}, {until.metric, answer.metric(until.metric)}});
  a.output.write("breakeven.json", break_even_text(r, a, until), json);
}

}  // namespace

void add_sensitivity(CLI::App& app) {
  auto a = std::make_shared<KnobArguments>();
  CLI::App* command = app.add_subcommand("sensitivity", "Which of the machine's knobs buys most");
  command->footer(
      "Example: trnsim sensitivity --model Qwen3-8B --machine trn2:instance --layout tp=4 --global-batch 16\n"
      "Every knob 10 % worse, 10 % better and 2x better; a latency is better when it is shorter. "
      "\"saturates\": twice "
      "as good\nbuys less than half of what the 10 % promise.");
  a->question.add_to(*command);
  a->machine.add_to(*command, "trn2:instance");
  command->add_option("--metric", a->metric, "metric that is looked at; default: tokens/s or time");
  a->output.add_to(*command, "sensitivity.json");
  command->callback([a] { run_sensitivity(*a); });
}

void add_breakeven(CLI::App& app) {
  auto a = std::make_shared<KnobArguments>();
  CLI::App* command = app.add_subcommand("breakeven", "How much of a knob it takes until a condition holds");
  std::string known;
  for (const Knob& knob : knobs()) known += (known.empty() ? "" : ", ") + std::string(knob.name);
  command->footer(
      "Example: trnsim breakeven --knob links --until 'exposed_comm<1%' --model Qwen3-8B --machine "
      "trn2:instance "
      "--layout tp=4 --global-batch 16\nKnobs: " +
      known + "; or any figure of trnsim config show");
  a->question.add_to(*command);
  a->machine.add_to(*command, "trn2:instance");
  command->add_option("--knob", a->knob, "what is made better")->required();
  command->add_option("--until", a->until, "METRIC<NUMBER or METRIC>=NUMBER; % is a hundredth")->required();
  command->add_option("--most", a->most, "how far the knob goes")->capture_default_str();
  a->output.add_to(*command, "breakeven.json");
  command->callback([a] { run_break_even(*a); });
}

}  // namespace trn
