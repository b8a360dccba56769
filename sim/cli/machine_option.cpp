#include "sim/cli/machine_option.h"

namespace trn {

void MachineOption::add_to(CLI::App& command, const std::string& default_machine) {
  machine = default_machine;
  command.add_option("--machine", machine, "name or file with a shape: trn2, trn2:instance, file.json:chip")
      ->capture_default_str();
  command.add_option("--set", sets, "override a figure: key=value, key=4x, key=+10%; repeatable")
      ->allow_extra_args(false);
}

ConfigDocument MachineOption::document() const {
  ConfigDocument document = load_machine_document(parse_machine_name(machine).config);
  for (const std::string& assignment : sets) document.set(assignment);
  return document;
}

MachineConfig MachineOption::load() const {
  return parse_machine(document(), parse_machine_name(machine).shape);
}

}  // namespace trn
