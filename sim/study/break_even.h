// How much of a knob it takes until a condition holds.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/study/condition.h"
#include "sim/study/knob.h"

namespace trn {

struct BreakEven {
  bool holds_already = false;
  std::optional<double> factor;  // the least found for which it holds, within 0.5 %; none: unreachable
  std::vector<std::pair<double, Answer>> tried;  // by factor, rising
  Answer at_most;                                // with the knob as far as it goes
  double most = 0;
};

// `knob` is a knob's name, or a figure's key, for which more is taken to be better. Bisects between 1x and
// `most`, which must be above 1; assumes that more of the knob never makes the condition fail again, and says
// so in `tried`.
BreakEven break_even(const Question& question, const std::string& knob, const Condition& until, double most,
                     std::size_t jobs);

}  // namespace trn
