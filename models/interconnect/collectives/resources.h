// What a collective's bytes take of the machine: links, EFA, HBM stacks, DMA engines, the path between dies.
#pragma once

#include <vector>

#include "base/flow/flow_mover.h"
#include "models/interconnect/collectives/group.h"
#include "models/interconnect/collectives/schedule/schedule.h"
#include "models/interconnect/routing/routes.h"
#include "models/machine_config.h"

namespace trn {

// Numbers of flow resources. Folded, the ranks of one chip stand for those of all: a link class has the
// capacity of one link, and a byte of one chip's takes of it what all chips' bytes take together, divided by
// its links.
struct CollectiveResources {
  enum class Detail : std::uint8_t { kFolded, kFull };
  Detail detail = Detail::kFolded;
  std::vector<std::uint32_t> links;            // folded: by class; full: by domain and link
  std::vector<std::uint32_t> efa_out, efa_in;  // folded: one; full: by domain and chip; empty without EFA
  // Where a chip alone may have more than its share of the domain's network: by domain. Folded: empty.
  std::vector<std::uint32_t> network_out, network_in;
  std::uint32_t lanes = 1;  // ranks that share a chip
  // By rank of the group (folded: of the first chip): of a byte read or written; of a byte copied.
  std::vector<std::vector<FlowUse>> memory, engines;
  // By rank: its die, and the paths into the dies of its chip. Empty: dies are no bottleneck here.
  std::vector<std::uint32_t> die;
  std::vector<std::vector<FlowUse>> into_die;

  std::size_t site(std::uint32_t rank) const { return rank % memory.size(); }
};

// A machine of its own for one group: every rank has an equal part of its chip's stacks and DMA engines.
CollectiveResources stand_alone_resources(FlowMover& flows, const Group& group, const Topology& topology,
                                          const MachineConfig& machine, CollectiveResources::Detail detail);

// EFA's latency is end to end: the step that the receiver then takes is part of it. This is the rest.
Picoseconds efa_step_latency(const MachineConfig& machine);

// What a step of one rank takes, and how long its first byte is under way to each destination.
struct MovePath {
  std::vector<FlowUse> uses;  // each resource once
  std::vector<Picoseconds> latency;
};

class MovePaths {
 public:
  MovePaths(const Group& group, const Topology& topology, const Routes& routes,
            const CollectiveResources& resources, const MachineConfig& machine);
  MovePath path(const Schedule& schedule, const Step& step, std::uint32_t executor) const;

 private:
  Picoseconds travel(const Seat& from, const Seat& to, std::vector<FlowUse>& uses) const;
  void cross_dies(std::uint32_t from, std::uint32_t to, std::vector<FlowUse>& uses) const;

  const Group& group_;
  const Topology& topology_;
  const Routes& routes_;
  const CollectiveResources& resources_;
  double reduce_slowdown_;
  Picoseconds efa_latency_;
};

}  // namespace trn
