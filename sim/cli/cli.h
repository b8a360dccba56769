// The command line: one function a command, listed in commands.cpp.
#pragma once

#include <CLI/CLI.hpp>

namespace trn {

// Adds a sub-command whose callback does the work; UserErrors leave through it.
using AddCommand = void (*)(CLI::App& app);

struct CommandRow {
  const char* name;
  AddCommand add;
};

// All commands, in the order of `trnsim --help`.
const std::vector<CommandRow>& command_table();

// Parses, runs, and turns every failure into one line on stderr and an exit code.
int run_cli(int argc, char** argv);

}  // namespace trn
