// Tells a listener about collectives that run alone: whose ranks and resources they use, what they move, when
// they are done.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/interconnect/collectives/resources.h"
#include "sim/machine/run_listener.h"
#include "sim/run/collective_simulation.h"

namespace trn {

class CollectiveLabels {
 public:
  // `all`: the ranks of every job, by whose numbers the listener is told. The arguments must outlive it.
  CollectiveLabels(RunListener& listener, const std::vector<CollectiveJob>& jobs, const Group& all,
                   const Topology& topology, bool folded, const MachineConfig& machine,
                   const CollectiveResources& resources, FlowEngine& flows);

  MoveListener* moves(std::size_t job) const { return moves_[job].get(); }
  void done(std::size_t job, const std::string& algorithm, Picoseconds now) const;
  void end() { listener_.end(); }

 private:
  void label_links(const Topology& topology, const CollectiveResources& resources, const FlowEngine& flows);
  void label_sites(const CollectiveResources& resources, const FlowEngine& flows);
  std::uint64_t first_rank(std::uint32_t domain, std::uint64_t chip) const;

  RunListener& listener_;
  Job job_;
  const std::vector<CollectiveJob>& jobs_;
  const bool folded_;
  Group all_;
  std::vector<CollectiveDecl> decls_;              // by job
  std::vector<std::vector<std::uint64_t>> ranks_;  // by job, those simulated
  std::vector<std::unique_ptr<MoveListener>> moves_;
};

}  // namespace trn
