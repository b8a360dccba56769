#include "models/interconnect/collectives/collective_runner.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"

namespace trn {

FabricResources FabricResources::make(FlowEngine& flows, const Topology& topology,
                                      const MachineConfig& machine, Detail detail) {
  FabricResources r;
  r.detail = detail;
  const std::uint64_t chips = detail == Detail::kOne ? 1 : topology.chips();
  for (const LinkClass& c : topology.classes())
    for (std::uint64_t chip = 0; chip < chips; ++chip)
      r.links.push_back(flows.add_resource("link " + c.name, c.rate));
  const double hbm = machine.hbm.collective_stack_rate() * static_cast<double>(machine.hbm.stacks);
  const double dma = bytes_per_picosecond(machine.core.dma.engine_rate) *
                     static_cast<double>(machine.core.dma.engines * machine.chip.neuron_cores);
  for (std::uint64_t chip = 0; chip < chips; ++chip) {
    r.hbm.push_back({{flows.add_resource("HBM of the chip", hbm), 1.0}});
    r.dma.push_back({{flows.add_resource("DMA engines of the chip", dma), 1.0}});
  }
  return r;
}

CollectiveRun::CollectiveRun(Traffic& traffic, const Topology& topology, const FabricResources& resources,
                             Schedule schedule, const CollectiveConfig& config,
                             std::function<void(Picoseconds)> done)
    : traffic_(traffic),
      topology_(topology),
      resources_(resources),
      schedule_(std::move(schedule)),
      config_(config),
      done_(std::move(done)),
      chips_(resources.detail == FabricResources::Detail::kOne ? 1 : topology.chips()),
      unlocks_received_(schedule_.steps.size()),
      unlocks_own_(schedule_.steps.size()) {
  for (std::uint32_t s = 0; s < schedule_.steps.size(); ++s) {
    for (const std::uint32_t before : schedule_.steps[s].received) unlocks_received_[before].push_back(s);
    for (const std::uint32_t before : schedule_.steps[s].own) unlocks_own_[before].push_back(s);
  }
  states_.resize(schedule_.steps.size() * chips_);
  for (std::uint64_t chip = 0; chip < chips_; ++chip) {
    for (std::uint32_t s = 0; s < schedule_.steps.size(); ++s) {
      const ScheduleStep& step = schedule_.steps[s];
      StepState& entry = states_[state(chip, s)];
      entry.waiting = static_cast<std::uint32_t>(step.received.size() + step.own.size());
      entry.arriving = arrivals(step);
      ++open_;
    }
  }
}

// Flows that reach a chip in a step. Where one chip stands for all, what it sends stands for what it
// receives.
std::uint32_t CollectiveRun::arrivals(const ScheduleStep& step) const {
  if (chips_ == 1) return 0;
  switch (step.move) {
    case Move::kExchange:
      return static_cast<std::uint32_t>(topology_.dimensions()[step.dimension].size - 1);
    case Move::kAllToAll:
      return static_cast<std::uint32_t>(topology_.chips() - 1);
    default:
      return 1;
  }
}

void CollectiveRun::start(Picoseconds now) {
  if (open_ == 0) {
    done_(now);
    return;
  }
  for (std::uint64_t chip = 0; chip < chips_; ++chip) {
    for (std::uint32_t s = 0; s < schedule_.steps.size(); ++s) {
      if (states_[state(chip, s)].waiting != 0) continue;
      // A step's latency covers one hop; all-to-all reaches across the machine.
      const bool far = schedule_.steps[s].move == Move::kAllToAll;
      const Picoseconds hops = topology_.hop_latency() * (far ? topology_.diameter() : 0);
      traffic_.start_timer(now + config_.start_latency + hops, *this, state(chip, s));
    }
  }
}

void CollectiveRun::timer(std::uint64_t token, Picoseconds now) {
  launch(token / schedule_.steps.size(), static_cast<std::uint32_t>(token % schedule_.steps.size()), now);
}

// A dependency of the unlocked steps is met: it lets them start at `at`; the last one counts.
void CollectiveRun::unlock(std::uint64_t from, const std::vector<std::vector<std::uint32_t>>& unlocks,
                           Picoseconds at, Picoseconds now) {
  for (const std::uint32_t next : unlocks[from % schedule_.steps.size()]) {
    const std::uint64_t token = state(from / schedule_.steps.size(), next);
    StepState& step = states_[token];
    step.earliest = std::max(step.earliest, at);
    if (--step.waiting == 0) traffic_.start_timer(std::max(now, step.earliest), *this, token);
  }
}

void CollectiveRun::flow_done(std::uint64_t token, Picoseconds now) {
  const Flight flight = flights_[token];
  const bool sent = --states_[flight.sender].sending == 0;
  if (sent) unlock(flight.sender, unlocks_own_, now, now);
  const bool arrived = chips_ == 1 ? sent : --states_[flight.receiver].arriving == 0;
  if (!arrived) return;
  unlock(flight.receiver, unlocks_received_, now + config_.step_latency, now);
  if (--open_ == 0) done_(now);
}

std::uint32_t CollectiveRun::link(std::uint32_t link_class, std::uint64_t chip) const {
  return resources_.detail == FabricResources::Detail::kOne
             ? resources_.links[link_class]
             : resources_.links[topology_.link(link_class, chip)];
}

FlowSpec CollectiveRun::flow(std::uint64_t chip, const ScheduleStep& step, double bytes) const {
  FlowSpec spec;
  spec.bytes = Bytes(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(bytes))));
  spec.weight = static_cast<double>(config_.packet.count()) * step.ring_share;
  const std::size_t at = resources_.detail == FabricResources::Detail::kOne ? 0 : chip;
  for (const FlowUse& use : resources_.hbm[at])
    spec.uses.push_back(
        {use.resource, use.coefficient * step.hbm_per_byte, 0, 0, use.payload * step.hbm_per_byte});
  for (const FlowUse& use : resources_.dma[at])
    spec.uses.push_back({use.resource, use.coefficient * step.dma_per_byte});
  if (step.move == Move::kLocal && !resources_.crossing.empty())
    spec.uses.insert(spec.uses.end(), resources_.crossing[at].begin(), resources_.crossing[at].end());
  return spec;
}

void CollectiveRun::launch(std::uint64_t chip, std::uint32_t s, Picoseconds now) {
  const ScheduleStep& step = schedule_.steps[s];
  std::vector<Planned> flows;
  switch (step.move) {
    case Move::kLocal:
      flows.push_back({flow(chip, step, step.bytes), chip});
      break;
    case Move::kRing: {
      FlowSpec spec = flow(chip, step, step.bytes);
      spec.uses.push_back(
          {link(topology_.dimensions()[step.dimension].first_class + (step.forward ? 0 : 1), chip), 1.0});
      flows.push_back({std::move(spec), topology_.neighbour(chip, step.dimension, step.forward ? 1 : -1)});
      break;
    }
    case Move::kExchange:
      exchange(chip, step, flows);
      break;
    case Move::kAllToAll:
      all_to_all(chip, step, flows);
      break;
  }
  states_[state(chip, s)].sending = static_cast<std::uint32_t>(flows.size());
  for (Planned& planned : flows) {
    const std::uint64_t receiver = chips_ == 1 ? 0 : planned.to;
    flights_.push_back({state(chip, s), state(receiver, s)});
    traffic_.start_flow(now, planned.flow, *this, flights_.size() - 1);
  }
}

void CollectiveRun::exchange(std::uint64_t chip, const ScheduleStep& step,
                             std::vector<Planned>& flows) const {
  const Dimension& dimension = topology_.dimensions()[step.dimension];
  const auto plan = [&](std::uint64_t to, double bytes) {
    FlowSpec spec = flow(chip, step, bytes);
    spec.uses.push_back({link(dimension.first_class, chip), 1.0});
    if (dimension.kind == DimensionKind::kSwitch)
      spec.uses.push_back({link(dimension.first_class + 1, to), 1.0});
    flows.push_back({std::move(spec), to});
  };
  if (chips_ == 1) {  // all peers' flows are alike: one for all of them
    plan(chip, step.bytes);
    return;
  }
  for (std::uint64_t offset = 1; offset < dimension.size; ++offset)
    plan(topology_.neighbour(chip, step.dimension, static_cast<std::int64_t>(offset)),
         step.bytes / static_cast<double>(dimension.size - 1));
}

// Dimension order, last dimension first; half-way offsets of a ring are split over both directions. With one
// chip for all, flows that take the same links in the same measure are merged.
void CollectiveRun::all_to_all(std::uint64_t chip, const ScheduleStep& step,
                               std::vector<Planned>& flows) const {
  const std::uint64_t others = topology_.chips() - 1;
  const double share = step.bytes / static_cast<double>(others);
  using Loads = std::vector<std::pair<std::uint32_t, double>>;  // resource, coefficient
  std::map<std::pair<std::uint64_t, Loads>, double> merged;     // (receiver, links) -> bytes
  for (std::uint64_t offset = 1; offset <= others; ++offset) {
    const std::vector<std::uint64_t> away = topology_.coordinates(offset);
    std::map<std::uint32_t, double> load;
    std::uint64_t at = chip;
    for (std::size_t d = topology_.dimensions().size(); d-- > 0;) {
      const Dimension& dimension = topology_.dimensions()[d];
      if (away[d] == 0) continue;
      const std::uint64_t next = topology_.neighbour(at, d, static_cast<std::int64_t>(away[d]));
      if (dimension.kind != DimensionKind::kRing) {
        load[link(dimension.first_class, at)] += 1;
        if (dimension.kind == DimensionKind::kSwitch) load[link(dimension.first_class + 1, next)] += 1;
      } else {
        const std::uint64_t back = dimension.size - away[d];
        const double forward = away[d] < back ? 1 : away[d] == back ? 0.5 : 0;
        for (std::uint64_t hop = 0; hop < away[d] && forward > 0; ++hop)
          load[link(dimension.first_class, topology_.neighbour(at, d, static_cast<std::int64_t>(hop)))] +=
              forward;
        for (std::uint64_t hop = 0; hop < back && forward < 1; ++hop)
          load[link(dimension.first_class + 1,
                    topology_.neighbour(at, d, -static_cast<std::int64_t>(hop)))] += 1 - forward;
      }
      at = next;
    }
    merged[{chips_ == 1 ? 0 : at, Loads(load.begin(), load.end())}] += share;
  }
  for (const auto& [key, bytes] : merged) {
    FlowSpec spec = flow(chip, step, bytes);
    for (const auto& [resource, coefficient] : key.second) spec.uses.push_back({resource, coefficient});
    flows.push_back({std::move(spec), key.first});
  }
}

}  // namespace trn
