#include "sim/study/break_even.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "sim/study/ask.h"

namespace trn {
namespace {

constexpr double kClose = 1.005;

// A knob by name, or a figure of the machine that is not one.
Knob find_knob(const std::string& name, const Machine& machine) {
  std::vector<std::string> known;
  for (const Knob& knob : knobs()) {
    if (name == knob.name) return knob;
    known.emplace_back(knob.name);
  }
  for (const ConfigFigure& figure : machine.document.figures())
    if (figure.key == name) return {name.c_str(), "", "", true, {name}};
  throw UsageError("--knob " + name + ": neither a knob nor a figure of " + machine.config.name +
                   suggestion(name, known));
}

}  // namespace

BreakEven break_even(const Question& question, const std::string& name, const Condition& until, double most,
                     std::size_t jobs) {
  if (!(most > 1)) throw UsageError("--most: expected a factor above 1");
  const Knob knob = find_knob(name, machine_of(question).resolve());
  const auto with = [&](double factor) {
    Question changed = question;
    machine_of(changed).alone.push_back(name + '=' + times_better(knob, factor));
    return work_of(changed);
  };
  BreakEven result;
  result.most = most;
  const std::vector<Reply> ends = ask_all({work_of(question), with(most)}, jobs, "breakeven");
  result.tried = {{1.0, answer_of(ends[0])}, {most, answer_of(ends[1])}};
  result.at_most = ends[1].answer;
  result.holds_already = until.holds(ends[0].answer);
  if (result.holds_already || !until.holds(ends[1].answer)) return result;
  // As many points at once as there are jobs, evenly in the logarithm: a bisection of so many sections.
  const std::size_t points = std::max<std::size_t>(2, jobs);
  double low = 1, high = most;
  while (high / low > kClose) {
    std::vector<double> factors;
    std::vector<std::function<Answer()>> work;
    for (std::size_t i = 1; i <= points; ++i) {
      factors.push_back(low * std::pow(high / low, static_cast<double>(i) / static_cast<double>(points + 1)));
      work.push_back(with(factors.back()));
    }
    const std::vector<Reply> replies = ask_all(work, jobs, "breakeven");
    for (std::size_t i = points; i-- > 0;) {
      result.tried.emplace_back(factors[i], answer_of(replies[i]));
      if (until.holds(replies[i].answer))
        high = factors[i];
      else
        low = std::max(low, factors[i]);
    }
    low = std::min(low, high);
  }
  std::sort(result.tried.begin(), result.tried.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  result.factor = high;
  return result;
}

}  // namespace trn
