// trnsim kernel list|run
#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "kernels/registry.h"
#include "sim/cli/cli.h"
#include "sim/cli/machine_option.h"
#include "sim/cli/print_result.h"
#include "sim/run/simulation.h"
#include "traces/trace_file.h"

namespace trn {
namespace {

struct KernelRun {
  std::string name;
  MachineOption machine;
  std::size_t lnc = 1;
  bool json = false;
  std::string trace;
};

void list_kernels() {
  for (const KernelRow& kernel : kernel_table()) {
    fmt::print("{:<16} {}\n", kernel.name, kernel.summary);
    for (const KernelArgument& argument : kernel.arguments)
      fmt::print("  --{:<12} {:<10} {}\n", argument.name, argument.default_value, argument.help);
  }
}

// What CLI11 did not know: the kernel's own --name value pairs.
std::map<std::string, std::string> pairs(const std::vector<std::string>& rest) {
  std::map<std::string, std::string> out;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::string& word = rest[i];
    if (word.rfind("--", 0) != 0)
      throw UsageError("unexpected \"" + word + "\"; kernel arguments are --name value");
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      out[word.substr(2, equals - 2)] = word.substr(equals + 1);
    } else {
      if (i + 1 == rest.size()) throw UsageError(word + ": missing value");
      out[word.substr(2)] = rest[++i];
    }
  }
  return out;
}

void run(const KernelRun& options, const std::vector<std::string>& rest) {
  const MachineConfig machine = options.machine.load();
  const KernelRow& kernel = find_kernel(options.name);
  const Program program = kernel.build(kernel_arguments(kernel, pairs(rest)), machine, options.lnc);
  if (!options.trace.empty()) write_file_atomically(options.trace, write_trace(program));
  const RunResult result = run_program(program, machine);
  fmt::print("{}", options.json ? result_json(result) : result_text(result));
  if (!options.json)
    fmt::print("  runtime.kernel_overhead_ns adds {} to a kernel launched alone; not included\n",
               time_text(machine.kernel_overhead));
}

}  // namespace

void add_kernel(CLI::App& app) {
  CLI::App* kernel = app.add_subcommand("kernel", "The kernel library: list, run");
  kernel->require_subcommand(1);
  kernel->footer(
      "Example: trnsim kernel run gemm --m 4096 --k 8192 --n 8192 --dtype fp32 --machine trn2 --order "
      "block_mnk");
  kernel->add_subcommand("list", "kernels and their arguments")->callback(list_kernels);
  CLI::App* command = kernel->add_subcommand("run", "simulate one kernel on one core, or an LNC=2 pair");
  auto options = std::make_shared<KernelRun>();
  command->add_option("name", options->name, "see trnsim kernel list")->required();
  options->machine.add_to(*command, "trn2");
  command->add_option("--lnc", options->lnc, "1: one core, 2: a pair")
      ->check(CLI::IsMember({1, 2}))
      ->capture_default_str();
  command->add_flag("--json", options->json, "print JSON");
  command->add_option("--write-trace", options->trace, "also write the program as a trace");
  command->allow_extras();
  command->callback([options, command] { run(*options, command->remaining()); });
}

}  // namespace trn
