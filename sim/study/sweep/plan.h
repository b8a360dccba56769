// The points of a study, each with the hash of all that its answer depends on.
#pragma once

#include <string>
#include <vector>

#include "sim/study/sweep/study.h"

namespace trn {

struct PlanPoint {
  std::vector<std::string> coordinates;  // a label an axis
  std::string hash;
  Question question;
};

struct ImpossiblePoint {
  std::vector<std::string> coordinates;
  std::string reason;
};

struct PlanAxis {
  std::string name;
  std::vector<std::string> labels;
};

struct Plan {
  std::string name, build;
  std::vector<PlanAxis> axes;
  std::vector<PlanPoint> points;
  std::vector<ImpossiblePoint> impossible;
};

// Resolves every point; those that their machine, layout or memory refuses are impossible, with the reason.
Plan make_plan(const Study& study);

// FOLDER/plan.json, written once and read by every worker. ConfigError naming the file: missing, damaged, or
// of another version.
void write_plan(const Plan& plan, const std::string& folder);
Plan read_plan(const std::string& folder);

// ConfigError unless this build made it: another would give the points other answers.
void require_own_build(const Plan& plan, const std::string& folder);

}  // namespace trn
