// What a rank keeps in HBM during a step.
#pragma once

#include <string>
#include <vector>

#include "workloads/layout.h"

namespace trn {

struct FootprintRow {
  std::string name;
  std::uint64_t bytes;
};

struct Footprint {
  std::vector<FootprintRow> rows;
  std::uint64_t capacity = 0;  // of one rank
  std::uint64_t total() const;
  bool fits() const { return total() <= capacity; }
};

Footprint footprint(const ModelSpec& model, const TrainingPlan& plan, const MachineConfig& machine);
std::string footprint_table(const Footprint& footprint);

}  // namespace trn
