// A machine's wiring for people and for programs.
#pragma once

#include <string>

#include "models/interconnect/topology/topology.h"

namespace trn {

std::string topology_text(const Topology& topology, const std::string& title);
std::string topology_json(const Topology& topology, const std::string& title);

}  // namespace trn
