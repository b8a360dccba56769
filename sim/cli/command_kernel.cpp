// trnsim kernel list|run
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "kernels/registry.h"
#include "sim/cli/cli.h"
#include "sim/cli/machine_option.h"
#include "sim/cli/precision_option.h"
#include "sim/cli/print_result.h"
#include "sim/cli/recording_option.h"
#include "sim/functional/kernel_check.h"
#include "sim/report/range_report.h"
#include "sim/run/simulation.h"
#include "sim/run/unannounced.h"
#include "traces/trace_file.h"

namespace trn {
namespace {

struct KernelCheckArguments {
  std::string name;
  MachineOption machine;
  bool all = false;
  std::string precision = "hardware";
};

std::string check_lines(const KernelCheckResult& result) {
  std::string out;
  for (const TensorCheck& check : result.tensors) out += "    " + check_line(check);
  for (const std::string& line : result.hazards) out += "    hazard: " + line + '\n';
  for (const std::string& line : result.poisoned) out += "    unwritten: " + line + '\n';
  return out;
}

// Each of the kernel's cases that the machine can run; the number that failed.
std::size_t check_cases(const KernelRow& kernel, const MachineConfig& machine, Precision precision) {
  std::size_t failed = 0;
  for (const std::map<std::string, std::string>& given : kernel.proof.cases) {
    std::string name = kernel.name;
    for (const auto& [key, value] : given) name += " --" + key + ' ' + value;
    try {
      const KernelCheckResult result =
          check_kernel(kernel, kernel_arguments(kernel, given), machine, 1, {1, precision});
      if (!result.passed()) ++failed;
      fmt::print("  {} {} on {}\n{}", result.passed() ? "ok    " : "FAILED", name, machine.name,
                 check_lines(result));
    } catch (const ProgramError& error) {
      fmt::print("  --     {} on {}: {}\n", name, machine.name, error.what());
    }
  }
  return failed;
}

void check(const KernelCheckArguments& arguments) {
  const Precision precision = precision_named(arguments.precision);
  std::size_t failed = 0;
  if (!arguments.all) {
    failed = check_cases(find_kernel(arguments.name), arguments.machine.load(), precision);
  } else {
    for (const std::string& name : known_machines()) {
      const ConfigDocument document = load_machine_document(name);
      if (!document.based_on().empty()) continue;  // a what-if of a generation that has its turn
      const MachineConfig machine = parse_machine(document, "chip");
      for (const KernelRow& kernel : kernel_table()) failed += check_cases(kernel, machine, precision);
    }
  }
  if (failed > 0) throw ProgramError(fmt::format("kernel check: {} case(s) failed", failed));
}

struct KernelRun {
  std::string name;
  MachineOption machine;
  RecordingOption recording;
  std::size_t lnc = 1;
  bool json = false;
  bool functional = false;
  std::string precision = "hardware";
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
  const std::unique_ptr<Recording> recording = options.recording.start();
  KernelCheckResult checked;
  if (options.functional)
    checked = check_kernel(kernel, kernel_arguments(kernel, pairs(rest)), machine, options.lnc,
                           {1, precision_named(options.precision)}, listener_of(recording));
  const RunResult result =
      options.functional ? checked.run : run_program(program, machine, nullptr, listener_of(recording));
  const std::vector<ConfigRange> ranges = ranges_of_answer(options.machine.document(), {machine.shape, true});
  nlohmann::ordered_json json = result_json(result);
  json["unannounced"] = ranges_json(ranges);
  fmt::print("{}", options.json ? json.dump(2) + '\n' : result_text(result));
  if (options.functional && !options.json)
    fmt::print("  on data, against the reference: {}\n{}", checked.passed() ? "ok" : "FAILED",
               check_lines(checked));
  if (options.functional && !checked.passed())
    throw ProgramError("kernel " + kernel.name + ": wrong results");
  const std::string written = recording != nullptr ? recording->finish() : "";
  if (!options.json)
    fmt::print("{}  runtime.kernel_overhead_ns adds {} to a kernel launched alone; not included\n{}", written,
               time_text(machine.kernel_overhead), range_lines(ranges));
}

}  // namespace

void add_kernel(CLI::App& app) {
  CLI::App* kernel = app.add_subcommand("kernel", "The kernel library: list, run, check");
  kernel->require_subcommand(1);
  kernel->footer(
      "Example: trnsim kernel run gemm --m 4096 --k 8192 --n 8192 --dtype fp32 --machine trn2 --order "
      "block_mnk");
  kernel->add_subcommand("list", "kernels and their arguments")->callback(list_kernels);
  CLI::App* command = kernel->add_subcommand("run", "simulate one kernel on one core, or an LNC=2 pair");
  auto options = std::make_shared<KernelRun>();
  command->add_option("name", options->name, "see trnsim kernel list")->required();
  options->machine.add_to(*command, "trn2");
  options->machine.add_hbm_model_to(*command);
  options->recording.add_to(*command);
  options->recording.add_folder_to(*command);
  command->add_option("--lnc", options->lnc, "1: one core, 2: a pair")
      ->check(CLI::IsMember({1, 2}))
      ->capture_default_str();
  command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--functional,--check", options->functional,
                    "also run it on data and compare with the kernel's reference");
  add_precision(*command, options->precision);
  command->add_option("--write-trace", options->trace, "also write the program as a trace");
  command->allow_extras();
  command->callback([options, command] { run(*options, command->remaining()); });
  CLI::App* checker =
      kernel->add_subcommand("check", "run kernels on data, on small and odd shapes, against references");
  auto arguments = std::make_shared<KernelCheckArguments>();
  checker->add_option("name", arguments->name, "see trnsim kernel list");
  checker->add_flag("--all", arguments->all, "every kernel on every generation");
  add_precision(*checker, arguments->precision);
  arguments->machine.add_to(*checker, "trn2");
  checker->footer("Example: trnsim kernel check gemm --machine trn2");
  checker->callback([arguments] { check(*arguments); });
}

}  // namespace trn
