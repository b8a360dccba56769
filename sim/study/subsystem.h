// The parts that a machine's figures belong to, and machines put together from two.
#pragma once

#include <string>
#include <vector>

#include "base/config/config_document.h"

namespace trn {

struct Subsystem {
  const char* name;
  std::vector<std::string> keys;  // dotted; with all below them
};

// Every top-level key of a machine's document belongs to one: Tensor has what is of the chip as a whole.
const std::vector<Subsystem>& subsystems();

// `a` with the keys of one subsystem as `b` has them.
ConfigDocument with_subsystem(const ConfigDocument& a, const ConfigDocument& b, const Subsystem& subsystem);

}  // namespace trn
