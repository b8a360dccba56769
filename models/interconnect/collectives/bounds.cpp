#include "models/interconnect/collectives/bounds.h"

#include <algorithm>
#include <cmath>

namespace trn {
namespace {

struct Best {
  CollectiveBound bound;
  void consider(double picoseconds, const std::string& what) {
    if (picoseconds > bound.picoseconds) bound = {picoseconds, what};
  }
};

}  // namespace

double busbw_factor(CollectiveOp op, std::uint64_t ranks) {
  const double r = static_cast<double>(ranks);
  return (op == CollectiveOp::kAllReduce ? 2.0 : 1.0) * (r - 1) / r;
}

CollectiveBound collective_bound(const CollectiveShape& shape, const Topology& topology,
                                 ChipMemoryRates memory) {
  const double chips = static_cast<double>(topology.chips());
  const double ranks = static_cast<double>(shape.ranks_per_chip);
  const double bytes = static_cast<double>(shape.bytes);
  const double away = (chips - 1) / chips;
  const bool all_to_all = shape.op == CollectiveOp::kAllToAll;
  const double passes = shape.op == CollectiveOp::kAllReduce ? 2 : 1;
  Best best;
  if (topology.chips() > 1) {
    // A chip must send or receive everything it does not have or cannot keep.
    const double chip_bytes = all_to_all ? bytes * ranks : bytes;
    best.consider(passes * away * chip_bytes / topology.chip_rate(), "links");
    for (const Dimension& d : topology.dimensions()) {
      const double size = static_cast<double>(d.size);
      const double rate = topology.classes()[d.first_class].rate;
      if (all_to_all) {
        // Half a ring against the other half, over its two borders; one position of a switch or cable
        // dimension against the others, over its ports.
        const double half = std::floor(size / 2);
        const double time = d.kind == DimensionKind::kRing ? half * (size - half) / size / 2 / rate
                                                           : (size - 1) / size / rate;
        best.consider(time * chip_bytes, "cut " + d.name);
      } else {
        // What the chips at one position lack must come in over their links of this dimension.
        best.consider((size - 1) / size * bytes / (chips / size * topology.dimension_rate(d)),
                      "cut " + d.name);
      }
    }
    best.consider(static_cast<double>(topology.hop_latency().count() * topology.diameter()), "hops");
  }
  // Every rank's input is read once and its output written once.
  const double all_ranks = chips * ranks;
  const double input = shape.op == CollectiveOp::kAllGather ? bytes / all_ranks : bytes;
  const double output = shape.op == CollectiveOp::kReduceScatter ? bytes / all_ranks : bytes;
  const double kept = all_to_all                             ? 2 * bytes / all_ranks
                      : shape.op == CollectiveOp::kAllGather ? 2 * bytes / all_ranks
                                                             : 0;
  best.consider(std::max(0.0, input + output - kept) * ranks / memory.hbm, "HBM");
  const double sent = all_to_all ? away * bytes * ranks : passes * away * bytes;
  best.consider(sent / memory.dma, "DMA");
  return best.bound;
}

}  // namespace trn
