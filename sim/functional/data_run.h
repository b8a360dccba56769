// A program of one's own, run on data: HBM tensors start with seeded numbers, everything else unwritten.
#pragma once

#include <string>
#include <vector>

#include "isa/program.h"
#include "models/machine_config.h"
#include "sim/run/run_result.h"

namespace trn {

struct TensorSummary {
  std::string name;
  double mean = 0, rms = 0, least = 0, most = 0;
};

struct DataRunResult {
  RunResult run;
  std::vector<TensorSummary> hbm;     // after the run
  std::vector<std::string> hazards;   // accesses that no semaphore orders
  std::vector<std::string> poisoned;  // reads of bytes nobody wrote

  bool clean() const { return hazards.empty() && poisoned.empty(); }
};

// ProgramError if the program has collectives: execution on data covers one rank.
DataRunResult run_on_data(const Program& program, const MachineConfig& machine, std::uint64_t seed = 1);

}  // namespace trn
