// A kernel of the library as users ask for it.
#pragma once

#include <map>
#include <string>

#include "sim/run/run_result.h"
#include "sim/study/machine_choice.h"

namespace trn {

struct KernelQuestion {
  MachineChoice machine;
  std::string name;
  std::map<std::string, std::string> arguments;  // the others have their defaults
  std::uint64_t lnc = 1;
};

// "gemm m=4096 k=4096": the name, then arguments. UsageError.
void parse_kernel_text(const std::string& text, KernelQuestion& question);

RunResult run_kernel(const KernelQuestion& question, const MachineConfig& machine);

}  // namespace trn
