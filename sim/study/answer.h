// What a question's answer is, in numbers that can be compared, ranked, stored and asserted on.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/units.h"
#include "sim/study/question.h"

namespace trn {

struct Metric {
  std::string name;
  double value;
};

struct AnswerPart {
  std::string name;
  Picoseconds time;
};

struct Answer {
  Picoseconds time;               // of the step, collective or kernel
  std::vector<Metric> metrics;    // those of metric_table() that this kind has, the headline first
  std::vector<AnswerPart> parts;  // sum to `time`
  std::string limiter;            // what binds: the largest part, or the resource behind it

  const Metric& headline() const { return metrics.front(); }
  double metric(const std::string& name) const;  // UsageError with the known names
};

struct MetricInfo {
  const char* name;
  const char* unit;
  bool more_is_better;
  const char* meaning;
};
const std::vector<MetricInfo>& metric_table();
const MetricInfo& metric_info(const std::string& name);  // UsageError with the known names

// The errors of what it runs; CapacityError when a plan does not fit.
Answer answer(const Question& question, const Machine& machine);
Answer answer(const TrainingResult& result);
// Of one size and one algorithm, both set in `setting`.
Answer answer(const CollectiveQuestion& question, const CollectiveSetting& setting,
              const CollectiveResult& result);

nlohmann::ordered_json answer_json(const Answer& answer);
// ConfigError if it is not what answer_json wrote.
Answer parse_answer(const nlohmann::ordered_json& json, const std::string& where);

}  // namespace trn
