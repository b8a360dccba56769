// A kernel's program run on data and compared with its reference.
#pragma once

#include <string>
#include <vector>

#include "kernels/registry.h"
#include "sim/functional/comparison.h"
#include "sim/functional/functional_run.h"
#include "sim/machine/run_listener.h"
#include "sim/run/run_result.h"

namespace trn {

struct KernelCheckResult {
  std::vector<TensorCheck> tensors;
  std::vector<std::string> poisoned;  // reads of bytes nobody wrote
  std::vector<std::string> hazards;   // accesses that no semaphore orders
  RunResult run;

  bool passed() const;
};

// UsageError if the kernel has no reference.
KernelCheckResult check_kernel(const KernelRow& kernel, const KernelArguments& arguments,
                               const MachineConfig& machine, std::size_t cores, DataOptions options = {},
                               RunListener* listener = nullptr);

}  // namespace trn
