// trnsim run, asm, disasm
#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "isa/assembler/assembler.h"
#include "sim/cli/cli.h"
#include "sim/cli/machine_option.h"
#include "sim/cli/precision_option.h"
#include "sim/cli/print_job.h"
#include "sim/cli/print_result.h"
#include "sim/cli/recording_option.h"
#include "sim/functional/data_run.h"
#include "sim/run/simulation.h"
#include "traces/program_file.h"
#include "traces/trace_file.h"

namespace trn {
namespace {

struct RunArguments {
  std::string file;
  std::string mesh;
  std::string detail = "one";
  bool functional = false;
  std::string precision = "hardware";
  MachineOption machine;
  RecordingOption recording;
  bool json = false;
};

// Timed on data: what HBM holds afterwards, and every access that nothing orders.
void run_functional(const Program& program, const MachineConfig& machine, Precision precision,
                    Recording* recording) {
  const DataRunResult result =
      run_on_data(program, machine, {1, precision}, recording != nullptr ? recording->listener() : nullptr);
  fmt::print("{}", result_text(result.run));
  for (const TensorSummary& t : result.hbm)
    fmt::print("  {:<12} mean {:.6g}, rms {:.6g}, {:.6g} to {:.6g}\n", t.name, t.mean, t.rms, t.least,
               t.most);
  for (const TensorCheck& check : result.goldens) fmt::print("  golden {}", check_line(check));
  for (const std::string& line : result.hazards) fmt::print("  hazard: {}\n", line);
  for (const std::string& line : result.poisoned) fmt::print("  unwritten: {}\n", line);
  if (!result.clean())
    throw ProgramError(program.name + ": " + std::to_string(result.hazards.size()) + " hazards, " +
                       std::to_string(result.poisoned.size()) + " reads of unwritten bytes" +
                       (result.right() ? "" : ", not what .golden says") + "; see above");
  fmt::print("  no hazards, no reads of unwritten bytes\n");
  if (recording != nullptr) fmt::print("{}", recording->finish());
}

void run(const RunArguments& arguments) {
  const Job job = load_job(arguments.file, arguments.mesh);
  const MachineConfig machine = arguments.machine.load();
  const std::unique_ptr<Recording> recording = arguments.recording.start();
  if (arguments.functional) {
    if (job.ranks() > 1) throw UsageError("--functional runs one rank; leave out --mesh");
    run_functional(job.programs[0], machine, precision_named(arguments.precision), recording.get());
    return;
  }
  const std::string why = why_not_folded(job, machine);
  if (arguments.detail == "one" && why.empty()) {
    const RunResult result = run_folded(job, machine, nullptr, listener_of(recording));
    fmt::print("{}", arguments.json ? result_json(result).dump(2) + '\n' : result_text(result));
  } else {
    if (!why.empty() && !arguments.json) fmt::print("# every rank in full: {}\n", why);
    const JobResult result = run_every_rank(job, machine, listener_of(recording));
    fmt::print("{}", arguments.json ? job_json(job, result) : job_text(job, result));
  }
  if (recording == nullptr) return;
  const std::string written = recording->finish();
  if (!arguments.json) fmt::print("{}", written);
}

}  // namespace

void add_run(CLI::App& app) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand(
      "run", "Run a program (.tasm or trace) on one rank, or a job on all ranks of a machine");
  command->footer(
      "Example: trnsim run traces/samples/mm_db.tasm --machine trn2\n"
      "A job is a JSON file: {\"mesh\": \"tp=4,fsdp=16\", \"programs\": {\"a.tasm\": \"0-62\", \"b.tasm\": "
      "\"63\"}}");
  command->add_option("file", arguments->file, "a .tasm file, a trace, or a job (JSON)")->required();
  command->add_option("--mesh", arguments->mesh,
                      "run the program on every rank of this mesh, e.g. tp=8,fsdp=16: COLL needs one");
  command
      ->add_option("--detail", arguments->detail,
                   "one: a rank stands for all where all run one program; full: every rank simulated")
      ->check(CLI::IsMember({"one", "full"}));
  command->add_flag(
      "--functional", arguments->functional,
      "execute it on data as well: seeded numbers in HBM, hazards and unwritten reads reported");
  add_precision(*command, arguments->precision);
  arguments->machine.add_to(*command, "trn2");
  arguments->machine.add_hbm_model_to(*command);
  arguments->recording.add_to(*command);
  arguments->recording.add_folder_to(*command);
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments] { run(*arguments); });
}

void add_asm(CLI::App& app) {
  auto paths = std::make_shared<std::array<std::string, 2>>();
  CLI::App* command = app.add_subcommand("asm", "Assemble .tasm text into a binary trace");
  command->footer("Example: trnsim asm traces/samples/mm_db.tasm -o mm_db.trc");
  command->add_option("file", (*paths)[0], "a .tasm file")->required();
  command->add_option("-o,--output", (*paths)[1], "the trace to write")->required();
  command->callback([paths] { write_file_atomically((*paths)[1], write_trace(load_program((*paths)[0]))); });
}

void add_disasm(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("disasm", "Print a trace as .tasm text that assembles to the same trace");
  command->footer("Example: trnsim disasm mm_db.trc > mm_db.tasm");
  command->add_option("file", *path, "a trace or a .tasm file")->required();
  command->callback([path] { fmt::print("{}", disassemble(load_program(*path))); });
}

}  // namespace trn
