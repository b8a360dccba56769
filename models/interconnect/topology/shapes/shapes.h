// The kinds of machines: one function each, one row each in kShapes (shapes.cpp).
#pragma once

#include "models/interconnect/topology/fabric_config.h"
#include "models/interconnect/topology/wiring.h"

namespace trn {

Wiring wire(const FabricConfig& config);

// What a link carries of its raw rate, bytes a picosecond.
double effective_rate(MegabytesPerSecond raw, const FabricConfig& config);

Wiring wire_torus(const FabricConfig& config);
Wiring wire_switched(const FabricConfig& config);
Wiring wire_switch(const FabricConfig& config);
Wiring wire_fully_connected(const FabricConfig& config);
Wiring wire_fat_tree(const FabricConfig& config);
Wiring wire_graph(const FabricConfig& config);

}  // namespace trn
