// The best layout of a model on a machine, at fixed tokens a step.
#pragma once

#include <string>
#include <vector>

#include "sim/study/answer.h"

namespace trn {

struct LayoutRow {
  TrainingQuestion question;
  Answer answer;
};

struct RefusedLayout {
  TrainingQuestion question;
  std::string reason;
};

struct LayoutSearch {
  std::vector<LayoutRow> rows;           // fastest first
  std::vector<RefusedLayout> refused;    // do not divide, or do not fit in HBM
  std::vector<TrainingQuestion> pruned;  // could not have beaten the best, by what the array alone takes
};

// Varies tp, fsdp, micro-batch, recompute and LNC; the rest is the question's. ConfigError with the reasons
// if no layout fits. `all`: prunes nothing.
LayoutSearch search_layouts(const TrainingQuestion& question, std::size_t jobs, bool all = false);

// No schedule runs the step's FLOPs faster on the array at one moving column a cycle.
Picoseconds least_step_time(const ModelSpec& model, const TrainingPlan& plan, const MachineConfig& machine);

std::string layout_text(const TrainingQuestion& question);

}  // namespace trn
