#include "sim/study/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "sim/study/ask.h"
#include "workloads/linear_layers.h"

namespace trn {
namespace {

struct Candidate {
  TrainingQuestion question;
  Picoseconds at_least;
};

// tp up to the ranks of a chip, micro-batches of powers of two up to a group's share of the step.
std::vector<TrainingQuestion> possible_questions(const TrainingQuestion& base, const Machine& machine) {
  std::vector<TrainingQuestion> out;
  for (const std::uint64_t lnc : machine.config.lnc_allowed) {
    const std::uint64_t per_chip = ranks_per_chip(machine.config, lnc);
    for (std::uint64_t tp = 1; tp <= per_chip; ++tp) {
      if (per_chip % tp != 0) continue;
      const std::uint64_t fsdp = machine.config.fabric.chips() * per_chip / tp;
      for (std::uint64_t micro = 1;; micro *= 2) {
        for (const std::string& recompute : kRecomputeNames) {
          TrainingQuestion q = base;
          q.lnc = lnc;
          q.layout = fmt::format("tp={},fsdp={}", tp, fsdp);
          q.micro_batch = micro;
          q.recompute = recompute;
          out.push_back(std::move(q));
        }
        const std::uint64_t sequences =
            base.tokens_per_step ? *base.tokens_per_step / base.sequence : base.global_batch;
        if (2 * micro * fsdp > sequences) break;
      }
    }
  }
  return out;
}

// Why this cannot run, or nothing.
std::string refusal(const TrainingQuestion& q, const Machine& machine, Picoseconds& at_least) {
  try {
    const TrainingSetting s = training_setting(q, machine.config);
    check_plan(s.plan, s.model, machine.config);
    const Footprint f = footprint(s.model, s.plan, machine.config);
    if (!f.fits())
      return fmt::format("does not fit: {:.1f} of {:.1f} GiB a rank",
                         static_cast<double>(f.total()) / (1 << 30),
                         static_cast<double>(f.capacity) / (1 << 30));
    at_least = least_step_time(s.model, s.plan, machine.config);
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

// Layouts that share a group of size 1 more simply are the same machine; none are left out here.
void simulate_best_first(LayoutSearch& search, std::vector<Candidate> candidates, const Machine& machine,
                         std::size_t jobs, bool all) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.at_least < b.at_least; });
  const std::size_t batch = 4;  // between two looks at the best so far; does not depend on `jobs`
  Picoseconds best(~std::uint64_t{0});
  for (std::size_t begin = 0; begin < candidates.size();) {
    std::vector<const Candidate*> turn;
    std::vector<std::function<Answer()>> work;
    for (; begin < candidates.size() && turn.size() < batch; ++begin) {
      const Candidate& c = candidates[begin];
      if (!all && c.at_least >= best) {
        search.pruned.push_back(c.question);
        continue;
      }
      turn.push_back(&c);
      work.push_back([&c, &machine] { return answer(Question(c.question), machine); });
    }
    const std::vector<Reply> replies = ask_all(work, jobs, "search");
    for (std::size_t i = 0; i < turn.size(); ++i) {
      search.rows.push_back({turn[i]->question, answer_of(replies[i])});
      best = std::min(best, replies[i].answer.time);
    }
  }
}

}  // namespace

Picoseconds least_step_time(const ModelSpec& model, const TrainingPlan& plan, const MachineConfig& machine) {
  const double flops = step_flops(model, plan).executed_as_bf16(gemm_speedup(plan.gemms, machine));
  const double rate = machine.core_bf16_flops() * static_cast<double>(plan.lnc);
  return Picoseconds(static_cast<std::uint64_t>(flops / rate * 1e12));
}

std::string layout_text(const TrainingQuestion& q) {
  return fmt::format("{} micro-batch {} recompute {} LNC={}", q.layout, q.micro_batch, q.recompute, q.lnc);
}

LayoutSearch search_layouts(const TrainingQuestion& question, std::size_t jobs, bool all) {
  const Machine machine = question.machine.resolve();
  LayoutSearch search;
  std::vector<Candidate> candidates;
  for (TrainingQuestion& q : possible_questions(question, machine)) {
    Picoseconds at_least;
    std::string why = refusal(q, machine, at_least);
    if (why.empty())
      candidates.push_back({std::move(q), at_least});
    else
      search.refused.push_back({std::move(q), std::move(why)});
  }
  if (candidates.empty())
    throw ConfigError("no layout of " + question.model + " runs on " + question.machine.machine +
                      "; the first of " + std::to_string(search.refused.size()) +
                      " reasons: " + search.refused.front().reason);
  simulate_best_first(search, std::move(candidates), machine, jobs, all);
  std::stable_sort(search.rows.begin(), search.rows.end(),
                   [](const LayoutRow& a, const LayoutRow& b) { return a.answer.time < b.answer.time; });
  return search;
}

}  // namespace trn
