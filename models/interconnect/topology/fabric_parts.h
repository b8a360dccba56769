// Parsing that the kinds of fabric_config.cpp share, and the kinds too long for it.
#pragma once

#include "models/interconnect/topology/fabric_config.h"

namespace trn {

Picoseconds parse_latency(ConfigNode& node, const char* key);
MegabytesPerSecond parse_rate(ConfigNode& node, const char* key);

FabricConfig parse_torus(ConfigNode& node);
FabricConfig parse_graph(ConfigNode& node);

// Keys any kind may have, checked against what the kind is.
void parse_routing(ConfigNode& node, FabricConfig& fabric);
void parse_faults(ConfigNode& node, FabricConfig& fabric);
// The three rates of a switched machine: its own, or those of the preset that `links` names.
void parse_link_rates(ConfigNode& node, const std::optional<ConfigNode>& presets, FabricConfig& fabric);

}  // namespace trn
