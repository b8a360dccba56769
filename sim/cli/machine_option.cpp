#include "sim/cli/machine_option.h"

#include <fmt/format.h>

namespace trn {

void MachineOption::add_to(CLI::App& command, const std::string& default_machine) {
  machine = default_machine;
  command
      .add_option("--machine", machine,
                  "name or file with overlays and a shape: trn2, trn2:instance, trn4-whatif+clock:gen2, "
                  "file.json:chip")
      ->capture_default_str();
  command.add_option("--set", sets, "override a figure: key=value, key=4x, key=+10%; repeatable")
      ->allow_extra_args(false);
  command.add_flag("--unlinked", unlinked,
                   "nothing scales along: HBM bandwidth without the DMA rate that moves its bytes");
}

void MachineOption::add_hbm_model_to(CLI::App& command) {
  command
      .add_option("--hbm", hbm,
                  "bandwidth: one rate a stack; channel: every burst of every row at its address, through "
                  "channels, banks and refresh (one rank alone; a second for some 200 MB)")
      ->check(CLI::IsMember(std::vector<std::string>(kHbmModels.begin(), kHbmModels.end())))
      ->capture_default_str();
}

Machine MachineOption::resolve() const {
  Machine resolved = MachineChoice::resolve();
  for (const std::string& line : resolved.document.scaled_along()) fmt::print(stderr, "{}\n", line);
  return resolved;
}

}  // namespace trn
