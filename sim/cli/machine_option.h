// --machine, --set and --hbm, shared by every command that simulates.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "models/machine_config.h"

namespace trn {

struct MachineOption {
  std::string machine = "trn2";
  std::vector<std::string> sets;
  std::string hbm = std::string(kHbmModels[0]);

  void add_to(CLI::App& command, const std::string& default_machine);
  // --hbm, for commands that simulate one rank.
  void add_hbm_model_to(CLI::App& command);
  ConfigDocument document() const;  // with the overrides applied
  MachineConfig load() const;
};

}  // namespace trn
