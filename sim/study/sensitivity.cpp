#include "sim/study/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/study/ask.h"

namespace trn {
namespace {

constexpr double kFactors[] = {1 / 1.1, 1.1, 2};  // 10 % worse and better are the same step
constexpr const char* kChanges[] = {"10 % worse", "10 % better", "2x better"};
constexpr double kNothing = 5e-4;  // a relative change that is none: it prints as 1.000x

// Of the metric, positive if it got better.
double gain(double value, double base, bool more_is_better) {
  if (base == 0) return 0;
  return more_is_better ? value / base - 1 : base / value - 1;
}

KnobEffect read_effect(const Knob& knob, const Sensitivity& s, const Reply* replies) {
  KnobEffect effect{&knob, {}, {}, KnobVerdict::kRefused};
  const double base = s.base.metric(s.metric);
  const bool more = metric_info(s.metric).more_is_better;
  std::vector<double> gains;
  for (std::size_t i = 0; i < std::size(kFactors); ++i) {
    KnobChange change{kChanges[i], {}, replies[i].error, ""};
    if (replies[i].ok()) {
      change.value = replies[i].answer.metric(s.metric);
      change.limiter = replies[i].answer.limiter;
      gains.push_back(gain(*change.value, base, more));
      effect.swing = std::max(effect.swing, std::abs(gains.back()));
    }
    effect.changes.push_back(std::move(change));
  }
  if (gains.size() == std::size(kFactors)) effect.verdict = verdict_of(gains[1], gains[2], gains[0]);
  return effect;
}

}  // namespace

KnobVerdict verdict_of(double gain_of_tenth, double gain_of_double, double loss_of_tenth) {
  if (std::abs(gain_of_tenth) < kNothing && std::abs(gain_of_double) < kNothing &&
      std::abs(loss_of_tenth) < kNothing)
    return KnobVerdict::kNoEffect;
  // Amdahl: a part f of the time that scales with the knob gives 1/(1 - f/11) at 1.1x and 1/(1 - f/2) at 2x.
  const double part =
      std::max({0.0, 11 * (1 - 1 / (1 + gain_of_tenth)), -10 * (1 - 1 / (1 + loss_of_tenth))});
  const double promised = 1 / (1 - std::min(part, 1.0) / 2) - 1;
  return gain_of_double < 0.5 * promised ? KnobVerdict::kSaturates : KnobVerdict::kHelps;
}

Sensitivity sensitivity(const Question& question, const std::string& metric, std::size_t jobs) {
  const Machine machine = machine_of(question).resolve();
  std::vector<const Knob*> present;
  std::vector<std::function<Answer()>> work{work_of(question)};
  for (const Knob& knob : knobs()) {
    if (figures_of(knob, machine.document, machine.shape).empty()) continue;
    present.push_back(&knob);
    for (const double factor : kFactors) {
      Question changed = question;
      machine_of(changed).alone.push_back(std::string(knob.name) + '=' + times_better(knob, factor));
      work.push_back(work_of(changed));
    }
  }
  const std::vector<Reply> replies = ask_all(work, jobs, "sensitivity");
  Sensitivity s{answer_of(replies[0]), metric, {}};
  if (metric.empty()) s.metric = s.base.headline().name;
  for (std::size_t i = 0; i < present.size(); ++i) {
    s.effects.push_back(read_effect(*present[i], s, &replies[1 + i * std::size(kFactors)]));
    s.effects.back().keys = figures_of(*present[i], machine.document, machine.shape);
  }
  std::stable_sort(s.effects.begin(), s.effects.end(),
                   [](const KnobEffect& a, const KnobEffect& b) { return a.swing > b.swing; });
  return s;
}

}  // namespace trn
