// What no collective can beat, on any graph of this kind: used by tests and printed in reports.
#pragma once

#include <string>

#include "models/interconnect/collectives/schedule.h"

namespace trn {

struct CollectiveBound {
  double picoseconds = 0;
  std::string limited_by;  // "links", "cut rack", "HBM", "DMA", "hops"
};

// Rates of one chip's memory side, bytes a picosecond.
struct ChipMemoryRates {
  double hbm;
  double dma;
};

CollectiveBound collective_bound(const CollectiveShape& shape, const Topology& topology,
                                 ChipMemoryRates memory);

// busbw = algbw x this, as nccom-test counts.
double busbw_factor(CollectiveOp op, std::uint64_t ranks);

}  // namespace trn
