// One collective alone on a machine, its parts in the open.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/interconnect/collectives/algorithms/algorithm.h"
#include "models/interconnect/collectives/bounds/bounds.h"
#include "models/interconnect/collectives/collective_run.h"

namespace trn {

// "trn2:instance", with --set overrides.
MachineConfig machine_named(const std::string& name, const std::vector<std::string>& sets = {});
// Nothing but links binds, and nothing but links takes time: HBM and DMA are as good as infinitely fast,
// steps, start and triggers take no time.
void leave_links_only(MachineConfig& machine);

struct Outcome {
  Picoseconds time;
  std::vector<ResourceReport> report;  // with the flow engine
  CollectiveResources resources;
};

// What moves its flows, and what moves beside it.
struct Movement {
  CollectiveResources::Detail detail = CollectiveResources::Detail::kFull;
  std::function<std::unique_ptr<FlowMover>()> mover;  // empty: the flow engine
  std::vector<Picoseconds> delay;                     // by rank
  std::uint32_t priority = 0;
  // Called with the traffic and the resources before the collective starts; what it returns lives as long.
  std::function<std::shared_ptr<TrafficActor>(Traffic&, const CollectiveResources&)> beside;
};

class Scene {
 public:
  Scene(MachineConfig machine, Group group);

  const MachineConfig& machine() const { return machine_; }
  const Topology& topology() const { return topology_; }
  const Routes& routes() const { return routes_; }
  const Group& group() const { return group_; }
  GroupShape shape() const { return group_.shape(topology_); }
  std::uint32_t lanes() const;  // ranks that a chip has room for

  // How the machine slices it.
  CollectiveTask sliced(CollectiveTask task) const;
  std::vector<std::string> algorithms(const CollectiveTask& task) const;
  Schedule schedule(const CollectiveTask& task, const std::string& algorithm) const;
  Outcome run(const Schedule& schedule, const Movement& movement = {}) const;
  CollectiveBound bound(const CollectiveTask& task) const;

 private:
  MachineConfig machine_;
  Topology topology_;
  Routes routes_;
  Group group_;
};

}  // namespace trn
