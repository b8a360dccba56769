// --machine and --set, shared by every command that simulates.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "models/machine_config.h"

namespace trn {

struct MachineOption {
  std::string machine = "trn2";
  std::vector<std::string> sets;

  void add_to(CLI::App& command, const std::string& default_machine);
  ConfigDocument document() const;  // with the overrides applied
  MachineConfig load() const;
};

}  // namespace trn
