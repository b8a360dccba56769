// Runs one collective alone on a shape.
#pragma once

#include "models/interconnect/collectives/bounds.h"
#include "models/interconnect/collectives/collective_runner.h"

namespace trn {

struct CollectiveResult {
  Picoseconds time;
  CollectiveBound bound;
  std::string binding;       // resource that bound its flows for the longest time, or "latency"
  double binding_share = 0;  // of the run time, of the busiest resource
};

CollectiveResult run_collective(CollectiveShape shape, const MachineConfig& machine,
                                FabricResources::Detail detail);

}  // namespace trn
