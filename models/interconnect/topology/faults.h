// Slow and broken cables.
#pragma once

#include "models/interconnect/topology/fabric_config.h"
#include "models/interconnect/topology/wiring.h"

namespace trn {

// All cables between the two ends are slow or broken. Slow links get a class of their own and leave the
// machine a product of its dimensions; broken ones are taken out, and then it is none. A ConfigError for ends
// that are not there or not joined.
void apply_faults(Wiring& wiring, const FabricConfig& config);

}  // namespace trn
