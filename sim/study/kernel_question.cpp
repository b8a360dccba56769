#include "sim/study/kernel_question.h"

#include "base/error.h"
#include "base/text.h"
#include "kernels/registry.h"
#include "sim/run/simulation.h"

namespace trn {

void parse_kernel_text(const std::string& text, KernelQuestion& question) {
  const std::vector<std::string> words = split(text, ' ');
  question.name = words[0];
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].empty()) continue;
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError("kernel \"" + text + "\": expected NAME key=value ..., found \"" + words[i] + '"');
    question.arguments[words[i].substr(0, equals)] = words[i].substr(equals + 1);
  }
}

RunResult run_kernel(const KernelQuestion& question, const MachineConfig& machine) {
  const KernelRow& kernel = find_kernel(question.name);
  const Program program = kernel.build(kernel_arguments(kernel, question.arguments), machine, question.lnc);
  return run_program(program, machine);
}

}  // namespace trn
