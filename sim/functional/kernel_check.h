// A kernel's program run on data and compared with its reference.
#pragma once

#include <string>
#include <vector>

#include "kernels/registry.h"
#include "sim/run/run_result.h"

namespace trn {

struct TensorCheck {
  std::string tensor;
  double largest_error = 0;                       // |error|
  double relative_error = 0;                      // largest |error| / (|value| + rms)
  double snr_db = 0;                              // signal to error power; 0 where there is no signal
  std::uint64_t wrong = 0;                        // elements beyond the tolerance, NaN where a number belongs
  std::uint64_t first_row = 0, first_column = 0;  // of those
};

struct KernelCheckResult {
  std::vector<TensorCheck> tensors;
  std::vector<std::string> poisoned;  // reads of bytes nobody wrote
  std::vector<std::string> hazards;   // accesses that no semaphore orders
  RunResult run;

  bool passed() const;
};

// UsageError if the kernel has no reference.
KernelCheckResult check_kernel(const KernelRow& kernel, const KernelArguments& arguments,
                               const MachineConfig& machine, std::size_t cores, std::uint64_t seed = 1);

}  // namespace trn
