// Which of the machine's knobs buys most.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/answer.h"
#include "sim/study/knob.h"

namespace trn {

struct KnobChange {
  std::string change;  // "-10%", "+10%", "2x": the better way round for latencies
  std::optional<double> value;
  std::string error;  // why there is no value
  std::string limiter;
};

enum class KnobVerdict : std::uint8_t { kHelps, kSaturates, kNoEffect, kRefused };
inline const std::vector<std::string> kKnobVerdicts{"helps", "saturates", "no effect", "refused"};

struct KnobEffect {
  const Knob* knob;
  std::vector<std::string> keys;
  std::vector<KnobChange> changes;  // 10 % worse, 10 % better, twice as good
  KnobVerdict verdict;
  double swing = 0;  // largest change of the metric over the base, as a ratio
};

struct Sensitivity {
  Answer base;
  std::string metric;
  std::vector<KnobEffect> effects;  // that move most first
};

// `metric` is one of the question's; empty: its headline. Three simulations a knob.
Sensitivity sensitivity(const Question& question, const std::string& metric, std::size_t jobs);

// Twice as good buys less than half of what 10 % better promises, or nothing worth the name.
KnobVerdict verdict_of(double gain_of_tenth, double gain_of_double, double loss_of_tenth);

}  // namespace trn
