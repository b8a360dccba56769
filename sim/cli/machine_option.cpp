#include "sim/cli/machine_option.h"

namespace trn {

void MachineOption::add_to(CLI::App& command, const std::string& default_machine) {
  machine = default_machine;
  command.add_option("--machine", machine, "name or file with a shape: trn2, trn2:instance, file.json:chip")
      ->capture_default_str();
  command.add_option("--set", sets, "override a figure: key=value, key=4x, key=+10%; repeatable")
      ->allow_extra_args(false);
}

void MachineOption::add_hbm_model_to(CLI::App& command) {
  command
      .add_option("--hbm", hbm,
                  "bandwidth: one rate a stack; channel: every burst of every row at its address, through "
                  "channels, banks and refresh (one rank alone; a second for some 200 MB)")
      ->check(CLI::IsMember(std::vector<std::string>(kHbmModels.begin(), kHbmModels.end())))
      ->capture_default_str();
}

}  // namespace trn
