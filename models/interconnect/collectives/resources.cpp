#include "models/interconnect/collectives/resources.h"

#include <algorithm>

#include "base/error.h"

namespace trn {
namespace {

void add(std::vector<FlowUse>& uses, const FlowUse& more, double times) {
  for (FlowUse& use : uses) {
    if (use.resource != more.resource) continue;
    use.coefficient += more.coefficient * times;
    use.payload += more.payload * times;
    return;
  }
  uses.push_back({more.resource, more.coefficient * times, 0, 0, more.payload * times});
}

void add(std::vector<FlowUse>& uses, const std::vector<FlowUse>& more, double times) {
  for (const FlowUse& use : more) add(uses, use, times);
}

// Engine time of a byte: what is read or what is written, whichever is more. Combining reads at half the rate
// of copying before Trn3 (reduce_slowdown 2), at the full rate from then on.
double engine_bytes(std::size_t sources, std::size_t destinations, double reduce_slowdown) {
  const double reads = sources < 2 ? 1 : static_cast<double>(sources) * reduce_slowdown / 2;
  return std::max(reads, static_cast<double>(destinations));
}

void add_efa(FlowMover& flows, std::uint32_t domains, std::uint64_t chips, const EfaConfig& efa,
             CollectiveResources& r) {
  const bool folded = r.detail == CollectiveResources::Detail::kFolded;
  const double efficiency = static_cast<double>(efa.efficiency_percent) / 100;
  const double share = bytes_per_picosecond(efa.rate) * efficiency;
  const double card = folded ? share : bytes_per_picosecond(efa.nic_rate) * efficiency;
  for (std::uint64_t chip = 0; chip < (folded ? 1 : domains * chips); ++chip) {
    r.efa_out.push_back(flows.add_resource("EFA out", card));
    r.efa_in.push_back(flows.add_resource("EFA in", card));
  }
  for (std::uint32_t d = 0; d < domains && card > share; ++d) {
    r.network_out.push_back(flows.add_resource("EFA out", share * static_cast<double>(chips)));
    r.network_in.push_back(flows.add_resource("EFA in", share * static_cast<double>(chips)));
  }
}

}  // namespace

Picoseconds efa_step_latency(const MachineConfig& machine) {
  return machine.efa.latency - std::min(machine.efa.latency, machine.collectives.step_latency);
}

CollectiveResources stand_alone_resources(FlowMover& flows, const Group& group, const Topology& topology,
                                          const MachineConfig& machine, CollectiveResources::Detail detail) {
  CollectiveResources r;
  r.detail = detail;
  const bool folded = detail == CollectiveResources::Detail::kFolded;
  std::uint32_t domains = 0, lanes = 0;
  for (std::uint32_t rank = 0; rank < group.ranks(); ++rank) {
    domains = std::max(domains, group.seat(rank).domain + 1);
    lanes = std::max(lanes, group.seat(rank).lane + 1);
  }
  r.lanes = lanes;
  const std::uint32_t copies = folded ? 1 : domains;
  for (std::uint32_t d = 0; d < copies; ++d) {
    if (folded)
      for (const LinkClass& c : topology.classes())
        r.links.push_back(flows.add_resource("link " + c.name, c.rate));
    else
      for (const Link& link : topology.links())
        r.links.push_back(flows.add_resource("link " + topology.classes()[link.link_class].name,
                                             topology.classes()[link.link_class].rate));
  }
  if (domains > 1) add_efa(flows, domains, topology.chips(), machine.efa, r);
  // A chip's ranks share its stacks and engines equally; each stays with its own.
  const double part = 1.0 / lanes;
  const double hbm = machine.hbm.collective_stack_rate() * static_cast<double>(machine.hbm.stacks) * part;
  const double dma = bytes_per_picosecond(machine.core.dma.engine_rate) *
                     static_cast<double>(machine.core.dma.engines * machine.chip.neuron_cores) * part;
  const std::uint32_t sites = folded ? std::max(1U, ranks_a_chip(group)) : group.ranks();
  for (std::uint32_t site = 0; site < sites; ++site) {
    r.memory.push_back({{flows.add_resource("HBM", hbm), 1.0, 0, 0, 1.0}});
    r.engines.push_back({{flows.add_resource("DMA engines", dma), 1.0}});
  }
  return r;
}

MovePaths::MovePaths(const Group& group, const Topology& topology, const Routes& routes,
                     const CollectiveResources& resources, const MachineConfig& machine)
    : group_(group),
      topology_(topology),
      routes_(routes),
      resources_(resources),
      reduce_slowdown_(static_cast<double>(machine.core.dma.accumulate_slowdown)),
      efa_latency_(efa_step_latency(machine)) {}

MovePath MovePaths::path(const Schedule& schedule, const Step& step, std::uint32_t executor) const {
  MovePath path;
  for (const Piece& piece : step.sources) {
    const std::uint32_t rank = schedule.resolve(piece.at, executor);
    add(path.uses, resources_.memory[resources_.site(rank)], 1);
    if (rank == executor) continue;
    travel(group_.seat(rank), group_.seat(executor), path.uses);
    cross_dies(rank, executor, path.uses);
  }
  for (const Piece& piece : step.destinations) {
    const std::uint32_t rank = schedule.resolve(piece.at, executor);
    add(path.uses, resources_.memory[resources_.site(rank)], 1);
    path.latency.push_back(travel(group_.seat(executor), group_.seat(rank), path.uses));
    if (rank != executor) cross_dies(executor, rank, path.uses);
  }
  add(path.uses, resources_.engines[resources_.site(executor)],
      engine_bytes(step.sources.size(), step.destinations.size(), reduce_slowdown_));
  return path;
}

Picoseconds MovePaths::travel(const Seat& from, const Seat& to, std::vector<FlowUse>& uses) const {
  const bool folded = resources_.detail == CollectiveResources::Detail::kFolded;
  const auto chips = static_cast<std::uint32_t>(topology_.chips());
  if (from.domain != to.domain) {
    add(uses, {resources_.efa_out[folded ? 0 : from.domain * chips + from.chip], 1}, 1);
    add(uses, {resources_.efa_in[folded ? 0 : to.domain * chips + to.chip], 1}, 1);
    if (!resources_.network_out.empty()) {
      add(uses, {resources_.network_out[from.domain], 1}, 1);
      add(uses, {resources_.network_in[to.domain], 1}, 1);
    }
    return efa_latency_;
  }
  if (from.chip == to.chip) return Picoseconds(0);
  const Route& route = routes_.between(from.chip, to.chip);
  for (const LinkLoad& load : route.loads) {
    const std::uint32_t c = topology_.links()[load.link].link_class;
    const double all =
        static_cast<double>(topology_.chips()) / static_cast<double>(topology_.classes()[c].links);
    if (folded)
      add(uses, {resources_.links[c], load.share * all}, 1);
    else
      add(uses, {resources_.links[from.domain * topology_.links().size() + load.link], load.share}, 1);
  }
  return route.latency;
}

void MovePaths::cross_dies(std::uint32_t from, std::uint32_t to, std::vector<FlowUse>& uses) const {
  const Seat a = group_.seat(from), b = group_.seat(to);
  if (a.domain != b.domain || a.chip != b.chip) return;
  if (resources_.die.empty() || resources_.die[resources_.site(from)] == resources_.die[resources_.site(to)])
    return;
  add(uses, resources_.into_die[resources_.site(to)], 1);
}

}  // namespace trn
