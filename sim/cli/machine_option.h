// --machine, --set and --hbm, shared by every command that simulates.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "sim/study/machine_choice.h"

namespace trn {

struct MachineOption : MachineChoice {
  void add_to(CLI::App& command, const std::string& default_machine);
  // --hbm, for commands that simulate one rank.
  void add_hbm_model_to(CLI::App& command);
  // As MachineChoice; says on stderr what a --set has scaled along.
  Machine resolve() const;
  MachineConfig load() const { return resolve().config; }
};

}  // namespace trn
