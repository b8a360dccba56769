#include "sim/functional/data_run.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "isa/golden.h"
#include "sim/functional/golden_values.h"
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

// What each golden expects, by its position.
std::vector<Matrix> expectations(const Program& program, RankMemory& memory) {
  std::map<std::uint32_t, Matrix> before;
  for (std::uint32_t t = 0; t < program.tensors.size() && !program.goldens.empty(); ++t)
    if (program.tensors[t].space == Space::kHbm) before[t] = read_matrix(memory, t);
  std::vector<Matrix> out;
  for (const Golden& golden : program.goldens) {
    const GoldenNode expression = parse_golden(golden.expression, program);
    out.push_back(golden_value(expression, before));
    const Matrix& to = before.at(golden.tensor);
    if (out.back().rows != to.rows || out.back().columns != to.columns)
      throw ProgramError(program.name + ": golden " + program.tensors[golden.tensor].name + ": has " +
                         std::to_string(to.rows) + " x " + std::to_string(to.columns) +
                         " numbers, the expression " + std::to_string(out.back().rows) + " x " +
                         std::to_string(out.back().columns));
    if (!uses_tensor(expression, golden.tensor)) forget(memory, golden.tensor);
  }
  return out;
}

}  // namespace

DataRunResult run_on_data(const Program& program, const MachineConfig& machine, DataOptions options,
                          RunListener* listener) {
  DataExecution execution(program, machine, options.precision);
  HazardChecker hazards(program);
  Observers both({&execution, &hazards});
  std::mt19937_64 random(options.seed);
  for (std::uint32_t t = 0; t < program.tensors.size(); ++t)
    if (program.tensors[t].space == Space::kHbm)
      write_matrix(execution.memory(), t, normal_matrix(program.tensors[t], random));
  const std::vector<Matrix> expected = expectations(program, execution.memory());
  DataRunResult result;
  result.run = run_program(program, machine, &both, listener);
  execution.finish();
  for (std::uint32_t t = 0; t < program.tensors.size(); ++t)
    if (program.tensors[t].space == Space::kHbm)
      result.hbm.push_back(summary(program.tensors[t].name, read_matrix(execution.memory(), t)));
  for (std::size_t g = 0; g < expected.size(); ++g) {
    const TensorDecl& tensor = program.tensors[program.goldens[g].tensor];
    result.goldens.push_back(compare(
        tensor.name, read_matrix(execution.memory(), program.goldens[g].tensor), expected[g],
        allowed_error(static_cast<double>(program.golden_tolerance), tensor.dtype, options.precision)));
  }
  result.hazards = hazards.hazards();
  result.poisoned = execution.executor().poisoned();
  return result;
}

}  // namespace trn
