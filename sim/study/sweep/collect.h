// A study's results put together, for tools and for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/ask.h"
#include "sim/study/sweep/plan.h"

namespace trn {

struct StudyResults {
  Plan plan;
  std::vector<std::optional<Reply>> replies;  // a point each; none: not computed yet
  std::size_t done = 0, failed = 0, missing = 0;

  const std::vector<std::string>& metrics() const { return metrics_; }  // of the points, in table order
  std::vector<std::string> metrics_;
};

// ConfigError if a result is damaged.
StudyResults collect(const Plan& plan, const std::string& folder);

// FOLDER/study.json, study.csv and study.sqlite, each whole or not at all; the same bytes whoever computed
// the points, in however many shards.
void write_results(const StudyResults& results, const std::string& folder, const std::string& command);

std::string study_json(const StudyResults& results, const std::string& command);
std::string study_csv(const StudyResults& results);
// Tables: points (an axis and a metric a column), parts (of each point's time), impossible, about.
void write_study_database(const StudyResults& results, const std::string& path);

// Axes that changed nothing anywhere (the headline by less than 0.01 %), each with what binds instead.
struct DeadAxis {
  std::string name, limiter;
};
std::vector<DeadAxis> dead_axes(const StudyResults& results);

}  // namespace trn
