// trnsim search
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/cli/cli.h"
#include "sim/cli/machine_option.h"
#include "sim/cli/print_result.h"
#include "sim/cli/question_options.h"
#include "sim/cli/training_options.h"
#include "sim/study/search.h"

namespace trn {
namespace {

struct SearchArguments {
  TrainingQuestion question;
  MachineOption machine;
  std::size_t top = 10;
  bool all = false;
  StudyOutput output;
};

std::string search_text(const LayoutSearch& s, const SearchArguments& a) {
  std::string out = fmt::format("{:<20} {:>6} {:>10} {:>4} {:>14} {:>12} {:>9}  {}\n", "layout", "micro",
                                "recompute", "LNC", "tokens/s/chip", "step", "GiB/rank", "what binds");
  for (std::size_t i = 0; i < s.rows.size() && i < a.top; ++i) {
    const TrainingQuestion& q = s.rows[i].question;
    const Answer& answer = s.rows[i].answer;
    out += fmt::format("{:<20} {:>6} {:>10} {:>4} {:>14.1f} {:>12} {:>9.2f}  {}\n", q.layout, q.micro_batch,
                       q.recompute, q.lnc, answer.metric("tokens_per_s_per_chip"), time_text(answer.time),
                       answer.metric("hbm_gib"), answer.limiter);
  }
  out += fmt::format("{} simulated, {} pruned (the array alone takes longer than the best), {} refused",
                     s.rows.size(), s.pruned.size(), s.refused.size());
  std::map<std::string, std::size_t> reasons;
  for (const RefusedLayout& refused : s.refused)
    ++reasons[refused.reason.substr(0, refused.reason.find(':'))];
  for (const auto& [reason, count] : reasons) out += fmt::format("\n  {:>4} {}", count, reason);
  return out + '\n';
}

nlohmann::ordered_json row_json(const TrainingQuestion& q) {
  return {{"layout", q.layout}, {"micro_batch", q.micro_batch}, {"recompute", q.recompute}, {"lnc", q.lnc}};
}

nlohmann::ordered_json search_json(const LayoutSearch& s, const SearchArguments& a) {
  nlohmann::ordered_json json{{"kind", "search"},
                              {"schema", 1},
                              {"command", command_line()},
                              {"model", a.question.model},
                              {"machine", a.machine.machine}};
  for (const LayoutRow& row : s.rows) {
    nlohmann::ordered_json one = row_json(row.question);
    one["tokens_per_s_per_chip"] = row.answer.metric("tokens_per_s_per_chip");
    one["step_us"] = to_us(row.answer.time);
    one["hbm_gib"] = row.answer.metric("hbm_gib");
    one["limiter"] = row.answer.limiter;
    json["rows"].push_back(std::move(one));
  }
  json["pruned"] = s.pruned.size();
  json["impossible"] = nlohmann::ordered_json::array();
  for (const RefusedLayout& refused : s.refused) {
    nlohmann::ordered_json one = row_json(refused.question);
    one["reason"] = refused.reason;
    json["impossible"].push_back(std::move(one));
  }
  return json;
}

void run(SearchArguments a) {
  a.question.machine = a.machine;
  const LayoutSearch found = search_layouts(a.question, a.output.jobs, a.all);
  a.output.write("search.json", search_text(found, a), search_json(found, a));
}

}  // namespace

void add_search(CLI::App& app) {
  auto a = std::make_shared<SearchArguments>();
  CLI::App* command = app.add_subcommand("search", "The best layout of a model on a machine");
  command->footer(
      "Example: trnsim search --model Qwen3-8B --machine trn2:instance --seq 4096 --tokens-per-step 262144\n"
      "Varies tp, fsdp, micro-batch, recompute and LNC; their own options are not looked at.");
  add_training_options(*command, a->question);
  a->machine.add_to(*command, "trn2:instance");
  command->add_option("--top", a->top, "rows printed")->capture_default_str();
  command->add_flag("--all", a->all, "simulate also what cannot be the best");
  a->output.add_to(*command, "search.json");
  command->callback([a] { run(*a); });
}

}  // namespace trn
