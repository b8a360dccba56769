// What no collective can beat, on any graph and with any algorithm: used by tests and printed in reports.
#pragma once

#include <string>

#include "models/interconnect/collectives/algorithms/task.h"
#include "models/interconnect/collectives/bounds/cuts.h"
#include "models/interconnect/collectives/group.h"
#include "models/machine_config.h"

namespace trn {

struct CollectiveBound {
  double picoseconds = 0;
  std::string limited_by;  // "links of a chip", "cut z", "link hops", "EFA", "HBM", "DMA", "latency"
};

// What one rank has of its chip, bytes a picosecond; and what a DMA that combines two sources takes longer.
struct RankRates {
  double hbm = 1e9;
  double dma = 1e9;
  double efa = 1e9;       // of a chip, as its part of the domain's network,
  double efa_card = 1e9;  // and at most
  double reduce_slowdown = 1;
  Picoseconds start;        // before the first byte of the first step
  Picoseconds efa_latency;  // of the first byte, without the receiver's step
};
RankRates rank_rates(const MachineConfig& machine, std::uint32_t ranks_per_chip);

// The start and the largest of the bounds. `group`: all its seats.
CollectiveBound collective_bound(const CollectiveTask& task, const Group& group, const Topology& topology,
                                 const RankRates& rates);

// busbw = algbw x this, as nccom-test counts.
double busbw_factor(CollectiveOp op, std::uint64_t ranks);

}  // namespace trn
