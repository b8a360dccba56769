// The results of a study's points: a file each, named by the hash of what it answers.
#pragma once

#include <optional>
#include <string>

#include "sim/study/ask.h"
#include "sim/study/sweep/plan.h"

namespace trn {

class PointStore {
 public:
  explicit PointStore(const std::string& folder);  // makes FOLDER/results and FOLDER/failed

  bool has(const PlanPoint& point) const;                      // whole and of this hash
  void put(const PlanPoint& point, const Reply& reply) const;  // written whole or not at all
  // Nothing if it has not been computed. ConfigError if its file is damaged.
  std::optional<Reply> get(const PlanPoint& point) const;

 private:
  std::string path(const std::string& kind, const PlanPoint& point) const;
  std::string folder_;
};

}  // namespace trn
