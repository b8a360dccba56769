#include "sim/functional/kernel_check.h"

#include <algorithm>
#include <random>

#include "base/error.h"
#include "sim/functional/functional_run.h"
#include "sim/functional/hazard_checker.h"
#include "sim/functional/hbm_data.h"
#include "sim/functional/observers.h"
#include "sim/run/simulation.h"

namespace trn {
namespace {

std::uint32_t find_tensor(const Program& program, const std::string& name) {
  for (std::uint32_t t = 0; t < program.tensors.size(); ++t)
    if (program.tensors[t].space == Space::kHbm && program.tensors[t].name == name) return t;
  TRN_CHECK(false, "the reference names a tensor the kernel does not have: " + name);
}

}  // namespace

bool KernelCheckResult::passed() const {
  return poisoned.empty() && hazards.empty() &&
         std::all_of(tensors.begin(), tensors.end(),
                     [](const TensorCheck& check) { return check.wrong == 0; });
}

KernelCheckResult check_kernel(const KernelRow& kernel, const KernelArguments& arguments,
                               const MachineConfig& machine, std::size_t cores, DataOptions options,
                               RunListener* listener) {
  if (!kernel.proof.expected)
    throw UsageError("kernel " + kernel.name + " has no reference to check against");
  const Program program = kernel.build(arguments, machine, cores);
  DataExecution execution(program, machine, options.precision);
  RankMemory& memory = execution.memory();
  std::mt19937_64 random(options.seed);
  const Matrices special = kernel.proof.inputs ? kernel.proof.inputs(arguments) : Matrices{};
  // Every tensor gets values; the references then say which ones are results and must be written anew.
  Matrices given;
  for (std::uint32_t t = 0; t < program.tensors.size(); ++t) {
    const TensorDecl& tensor = program.tensors[t];
    if (tensor.space != Space::kHbm) continue;
    const auto found = special.find(tensor.name);
    write_matrix(memory, t, found != special.end() ? found->second : normal_matrix(tensor, random));
    given[tensor.name] = read_matrix(memory, t);
  }
  const Matrices expected = kernel.proof.expected(arguments, given);
  for (const auto& [name, value] : expected)
    if (special.count(name) == 0) forget(memory, find_tensor(program, name));  // special: updated in place
  KernelCheckResult result;
  HazardChecker hazards(program);
  Observers both({&execution, &hazards});
  result.run = run_program(program, machine, &both, listener);
  execution.finish();
  for (const auto& [name, value] : expected) {
    const std::uint32_t t = find_tensor(program, name);
    const double tolerance =
        allowed_error(kernel.proof.tolerance, program.tensors[t].dtype, options.precision);
    result.tensors.push_back(compare(name, read_matrix(memory, t), value, tolerance));
  }
  result.hazards = hazards.hazards();
  result.poisoned = execution.executor().poisoned();
  return result;
}

}  // namespace trn
