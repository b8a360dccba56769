// Every rank of a mesh in full: its cores, its queues, its stack, and every chip's links. Slow; what one rank
// that stands for all (RankMachine) is checked against.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "sim/machine/rank_machine.h"

namespace trn {

class MeshMachine {
 public:
  // Inside a ScopedContext. All ranks run `program`, which must outlive the machine.
  MeshMachine(const Program& program, const MachineConfig& machine, Mesh mesh);

  // When the last rank is done.
  Picoseconds finish() const;
  bool done() const;
  std::vector<std::string> blocked() const;  // of the first rank that is stuck
  const CoreEvaluator& cores(std::size_t rank) const { return *ranks_[rank].evaluator; }

 private:
  struct Rank {
    std::unique_ptr<CoreEvaluator> evaluator;
    std::unique_ptr<CoreModule> module;
    std::uint32_t stack = 0;
    std::vector<FlowUse> engines;                    // of a byte of a collective
    std::vector<std::vector<std::uint32_t>> queues;  // [core][program queue]
  };
  // The members' requests on one stream of one group, in order; a collective starts when all have asked.
  struct Group {
    std::vector<std::size_t> ranks;
    std::vector<std::deque<CollectiveRequest>> asked;  // by member
    std::vector<std::unique_ptr<CollectiveRun>> runs;  // of the collective in flight
    std::unique_ptr<std::vector<FabricResources>> resources;
    std::size_t open = 0;
    bool busy = false;
  };

  std::size_t rank_of(std::uint64_t chip, std::uint64_t local) const {
    return chip * mesh_.ranks_per_chip + local;
  }
  void add_ranks(const Program& program);
  void add_groups();
  void submit(std::size_t rank);
  void deliver();
  std::size_t group_of(std::size_t rank, const CollectiveDecl& decl) const;
  void try_start(std::size_t group);
  void start(std::size_t group, Picoseconds now);
  void run_done(std::size_t group, Picoseconds now);
  FabricResources chip_resources(std::size_t rank, CollectiveOp op) const;
  FabricResources fabric_resources(std::uint64_t local) const;

  const Program& program_;
  MachineConfig machine_;
  Mesh mesh_;
  Topology topology_;
  Traffic traffic_;
  DmaQueues queues_;
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> links_;  // Topology::link
  std::vector<std::uint32_t> dies_;   // by chip and die: the path into it
  std::vector<Group> groups_;         // [axis][stream][group of the axis]
  TimerActor actor_{[this](std::uint64_t token, Picoseconds now) { start(token, now); }};
  std::vector<std::pair<std::size_t, Completion>> completions_;
  std::vector<std::unique_ptr<CollectiveRun>> finished_;  // kept until their callbacks have returned
  std::unique_ptr<TrafficModule> traffic_module_;
};

}  // namespace trn
