#include "models/interconnect/collectives/bounds/bounds.h"

#include <algorithm>

#include "base/error.h"
#include "models/interconnect/collectives/bounds/traffic_demand.h"
#include "models/interconnect/collectives/resources.h"

namespace trn {
namespace {

struct Best {
  CollectiveBound bound;
  void consider(double bytes, double rate, const std::string& what) {
    if (bytes > 0 && bytes / rate > bound.picoseconds) bound = {bytes / rate, what};
  }
};

// With several domains EFA is a way around the links.
// What so many chips of so many in all, cards and networks, can send over EFA.
double efa_rate(const RankRates& rates, double chips, double all) {
  return std::min(chips * rates.efa_card, all * rates.efa);
}

void consider_cuts(const TrafficDemand& demand, const Topology& topology, const RankRates& rates,
                   Best& best) {
  for (const Cut& cut : test_cuts(topology)) {
    const CutBytes bytes = demand.over(cut.inside);
    const auto chips = static_cast<double>(std::count(cut.inside.begin(), cut.inside.end(), 1));
    const double around =
        demand.one_domain() ? 0 : efa_rate(rates, chips, static_cast<double>(topology.chips()));
    best.consider(bytes.out, cut.out + around, cut.name);
    best.consider(bytes.in, cut.in + around, cut.name);
  }
}

// Every byte takes at least the hops of the shortest way.
void consider_hops(const TrafficDemand& demand, const Topology& topology, Best& best) {
  double rates = 0;
  for (std::uint32_t l = 0; l < topology.links().size(); ++l) rates += topology.rate(l);
  best.consider(demand.byte_hops(), rates, "link hops");
}

}  // namespace

double busbw_factor(CollectiveOp op, std::uint64_t ranks) {
  const double r = static_cast<double>(ranks);
  switch (op) {
    case CollectiveOp::kAllReduce:
      return 2 * (r - 1) / r;
    case CollectiveOp::kAllGather:
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kAllToAll:
    case CollectiveOp::kGather:
    case CollectiveOp::kScatter:
      return (r - 1) / r;
    default:
      return 1;
  }
}

RankRates rank_rates(const MachineConfig& machine, std::uint32_t ranks_per_chip) {
  RankRates rates;
  rates.hbm = machine.hbm.collective_stack_rate() * static_cast<double>(machine.hbm.stacks) / ranks_per_chip;
  rates.dma = bytes_per_picosecond(machine.core.dma.engine_rate) *
              static_cast<double>(machine.core.dma.engines * machine.chip.neuron_cores) / ranks_per_chip;
  rates.efa =
      bytes_per_picosecond(machine.efa.rate) * static_cast<double>(machine.efa.efficiency_percent) / 100;
  rates.efa_card =
      bytes_per_picosecond(machine.efa.nic_rate) * static_cast<double>(machine.efa.efficiency_percent) / 100;
  rates.reduce_slowdown = static_cast<double>(machine.core.dma.accumulate_slowdown);
  rates.start = machine.collectives.start_latency + machine.collectives.step_latency;
  rates.efa_latency = efa_step_latency(machine);
  return rates;
}

CollectiveBound collective_bound(const CollectiveTask& task, const Group& group, const Topology& topology,
                                 const RankRates& rates) {
  const TrafficDemand demand(task, group, topology);
  Best best;
  if (topology.chips() > 1) {
    consider_cuts(demand, topology, rates, best);
    consider_hops(demand, topology, best);
  }
  best.consider(demand.over_domain(), rates.efa * static_cast<double>(topology.chips()), "EFA");
  if (demand.one_domain())
    best.consider(demand.sent_by_chips(), demand.out_rates(), "links of a chip");
  else
    best.consider(demand.sent_by_chips(),
                  demand.out_rates() + efa_rate(rates, demand.chips(),
                                                demand.domains() * static_cast<double>(topology.chips())),
                  "links of a chip and EFA");
  best.consider(static_cast<double>(demand.furthest(rates.efa_latency).count()), 1, "latency");
  best.consider(demand.touched_by_rank(), rates.hbm, "HBM");
  best.consider(demand.moved_by_rank(rates.reduce_slowdown), rates.dma, "DMA");
  // Nothing moves before the start, and no pipelining hides that.
  const auto start = static_cast<double>(rates.start.count());
  if (best.bound.picoseconds < start) best.bound.limited_by = "latency";
  best.bound.picoseconds += start;
  return best.bound;
}

}  // namespace trn
