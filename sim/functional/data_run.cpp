#include "sim/functional/data_run.h"

#include <algorithm>
#include <cmath>

#include "sim/functional/functional_run.h"
#include "sim/functional/hazard_checker.h"
#include "sim/functional/hbm_data.h"
#include "sim/functional/observers.h"
#include "sim/run/simulation.h"

namespace trn {
namespace {

TensorSummary summary(const std::string& name, const Matrix& m) {
  TensorSummary s{name, 0, 0, m.at.front(), m.at.front()};
  for (const double value : m.at) {
    s.mean += value / static_cast<double>(m.at.size());
    s.rms += value * value / static_cast<double>(m.at.size());
    s.least = std::min(s.least, value);
    s.most = std::max(s.most, value);
  }
  s.rms = std::sqrt(s.rms);
  return s;
}

}  // namespace

DataRunResult run_on_data(const Program& program, const MachineConfig& machine, std::uint64_t seed) {
  DataExecution execution(program, machine);
  HazardChecker hazards(program);
  Observers both({&execution, &hazards});
  std::mt19937_64 random(seed);
  for (std::uint32_t t = 0; t < program.tensors.size(); ++t)
    if (program.tensors[t].space == Space::kHbm)
      write_matrix(execution.memory(), t, normal_matrix(program.tensors[t], random));
  DataRunResult result;
  result.run = run_program(program, machine, &both);
  execution.finish();
  for (std::uint32_t t = 0; t < program.tensors.size(); ++t)
    if (program.tensors[t].space == Space::kHbm)
      result.hbm.push_back(summary(program.tensors[t].name, read_matrix(execution.memory(), t)));
  result.hazards = hazards.hazards();
  result.poisoned = execution.executor().poisoned();
  return result;
}

}  // namespace trn
