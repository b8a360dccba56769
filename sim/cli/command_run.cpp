// trnsim run, asm, disasm
#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "isa/assembler/assembler.h"
#include "sim/cli/cli.h"
#include "sim/cli/machine_option.h"
#include "sim/cli/print_result.h"
#include "sim/run/simulation.h"
#include "traces/trace_file.h"

namespace trn {
namespace {

// A binary trace or .tasm text, told apart by the first bytes.
Program load_program(const std::string& path) {
  std::string content;
  try {
    content = read_text_file(path);
  } catch (const ConfigError& error) {
    throw ProgramError(error.what());
  }
  return is_trace(content) ? read_trace(content, path) : assemble(content, path);
}

struct RunArguments {
  std::string file;
  MachineOption machine;
  bool json = false;
};

}  // namespace

void add_run(CLI::App& app) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Run a program (.tasm or trace) on one core or LNC=2 pair");
  command->footer("Example: trnsim run traces/samples/mm_db.tasm --machine trn2");
  command->add_option("file", arguments->file, "a .tasm file or a trace")->required();
  arguments->machine.add_to(*command, "trn2");
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments] {
    const RunResult result = run_program(load_program(arguments->file), arguments->machine.load());
    fmt::print("{}", arguments->json ? result_json(result) : result_text(result));
  });
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
