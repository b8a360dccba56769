// The bytes a collective has to move whatever its algorithm: over a cut, between chips, through a rank's
// memory.
#pragma once

#include <vector>

#include "models/interconnect/collectives/algorithms/task.h"
#include "models/interconnect/collectives/group.h"

namespace trn {

struct CutBytes {
  double out = 0, in = 0;
};

class TrafficDemand {
 public:
  TrafficDemand(const CollectiveTask& task, const Group& group, const Topology& topology);

  // Within one domain; `inside` by chip.
  CutBytes over(const std::vector<char>& inside) const;
  // All chips of the group together send so many bytes into links of this rate, or more.
  double sent_by_chips() const;
  // With several domains: what the chips of the average one send to links and EFA.
  double sent_by_all() const;
  double out_rates() const { return out_rates_; }
  // All-to-all: its bytes times their shortest ways; others: 0.
  double byte_hops() const;
  // The longest of the ways that some information must take.
  Picoseconds furthest() const;
  // Out of the average domain, or into it.
  double over_domain() const;
  // HBM bytes of the average rank: its input is read, its output written. DMA bytes likewise; combining may
  // read two bytes in the time of one.
  double touched_by_rank() const;
  double moved_by_rank(double reduce_slowdown) const;

 private:
  // What so many parties send each other in all; of operations that every rank takes part in alike.
  double exchanged(double parties) const;
  // What must cross between ranks of whom `here` are on this side and `there` on the other.
  double crossing(double here, double there, bool root_here) const;

  const CollectiveTask& task_;
  const Topology& topology_;
  std::vector<double> ranks_;  // by chip, of one domain
  double bytes_, all_ranks_, domain_ranks_, domains_;
  std::uint32_t root_chip_ = 0, partner_chip_ = 0;
  double out_rates_ = 0;
};

}  // namespace trn
