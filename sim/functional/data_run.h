// A program of one's own, run on data: HBM tensors start with seeded numbers, everything else unwritten.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "isa/program.h"
#include "models/machine_config.h"
#include "sim/functional/comparison.h"
#include "sim/functional/functional_run.h"
#include "sim/machine/run_listener.h"
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
  std::vector<TensorCheck> goldens;   // what the program says it computes

  bool clean() const { return hazards.empty() && poisoned.empty() && right(); }
  bool right() const {
    return std::all_of(goldens.begin(), goldens.end(), [](const TensorCheck& c) { return c.wrong == 0; });
  }
};

// What the program's goldens name must be written anew, unless they use it themselves.
// ProgramError if the program has collectives: execution on data covers one rank.
DataRunResult run_on_data(const Program& program, const MachineConfig& machine, DataOptions options = {},
                          RunListener* listener = nullptr);

}  // namespace trn
