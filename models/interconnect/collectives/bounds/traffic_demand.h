// The bytes a collective has to move whatever its algorithm: over a cut, between chips, through a rank's
// memory.
#pragma once

#include <optional>
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

  // Between these chips of the root's domain, `inside` by chip, and all others anywhere.
  CutBytes over(const std::vector<char>& inside) const;
  // All chips of the group together send so many bytes or more, into links of this rate and EFA.
  double sent_by_chips() const;
  double out_rates() const { return out_rates_; }
  double chips() const { return chips_; }
  double domains() const { return domains_; }
  bool one_domain() const { return domains_ == 1; }
  // All-to-all in one domain: its bytes times their shortest ways; others: 0.
  double byte_hops() const;
  // The longest of the ways that some information must take, where one over EFA takes that long.
  Picoseconds furthest(Picoseconds efa) const;
  // Out of the average domain or into it, or of the root's.
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
  std::vector<double> ranks_;  // by chip, of the root's domain
  double bytes_, all_ranks_, domain_ranks_ = 0, domains_ = 0;
  double pair_bytes_;  // all-to-all: of the smallest block
  std::uint32_t root_chip_ = 0;
  std::optional<std::uint32_t> partner_chip_;  // if in the root's domain
  double chips_ = 0, out_rates_ = 0;           // of the group, in all domains
};

}  // namespace trn
