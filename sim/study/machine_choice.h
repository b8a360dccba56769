// A machine as users name it, --machine, --set and --hbm, and what that names.
#pragma once

#include <string>
#include <vector>

#include "models/machine_config.h"

namespace trn {

// Its figures with their sources, and the same as the models read them.
struct Machine {
  ConfigDocument document;
  std::string shape;
  MachineConfig config;

  Machine(ConfigDocument figures, const std::string& shape_name)
      : document(std::move(figures)), shape(shape_name), config(parse_machine(document, shape_name)) {}
};

struct MachineChoice {
  std::string machine = "trn2";  // name or file, with a shape
  // "key=value", "key=4x", "key=+10%", "links=2x"; applied in order. What is linked to a key scales along,
  std::vector<std::string> sets;
  std::string hbm = std::string(kHbmModels[0]);
  bool unlinked = false;             // unless this, or the overlay of that name, says no
  std::vector<std::string> alone{};  // as sets, after them; nothing scales along with these

  ConfigDocument document() const;  // with the overrides applied
  // With "+unlinked" where the flag says so.
  std::string full_name() const;
  std::string shape() const { return parse_machine_name(machine).shape; }
  Machine resolve() const;
  MachineConfig load() const { return resolve().config; }
};

}  // namespace trn
