// Every rank of a job in full: its cores, its queues, its stack, and every chip's links. For jobs of several
// programs, and what one rank that stands for all (RankMachine) is checked against.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "models/memory/dma/dma_queues.h"
#include "sim/machine/chip_stacks.h"
#include "sim/machine/rank_machine.h"

namespace trn {

class MeshMachine {
 public:
  // Inside a ScopedContext. A checked job; it must outlive the machine.
  // The listener must outlive it too.
  MeshMachine(const Job& job, const MachineConfig& machine, RunListener* listener = nullptr);

  // When the rank's last instruction and last transfer are complete.
  Picoseconds finish(std::size_t rank) const;
  bool done() const;
  std::vector<std::string> blocked() const;  // of the first rank that is stuck
  const CoreEvaluator& cores(std::size_t rank) const { return *ranks_[rank].evaluator; }
  const Traffic& traffic() const { return traffic_; }
  const DmaQueues& queues() const { return queues_; }
  // Resource numbers: the rank's HBM stack, and the DMA engines of each of its cores.
  std::uint32_t stack(std::size_t rank) const { return ranks_[rank].stack; }
  const std::vector<FlowUse>& engines(std::size_t rank) const { return ranks_[rank].engines; }

 private:
  struct Rank {
    ExecutionObserver* observer = nullptr;
    std::unique_ptr<CoreEvaluator> evaluator;
    std::unique_ptr<CoreModule> module;
    std::uint32_t stack = 0;
    Picoseconds last_traffic;
    std::vector<FlowUse> engines;                    // engine time of a byte of a collective
    std::vector<std::vector<std::uint32_t>> queues;  // [core][program queue]
  };
  // The members' requests on one stream of one group, in order; a collective starts when all have asked.
  struct Communicator {
    RankGroup members;
    std::vector<std::deque<CollectiveRequest>> asked;  // by member
    CollectiveResources resources;
    std::unique_ptr<MovePaths> paths;
    std::unique_ptr<CollectiveRun> run;  // the collective in flight
    std::unique_ptr<MoveListener> moves;
    Picoseconds started;
    bool busy = false;
  };

  void add_fabric();
  void add_stacks();
  void add_rank(std::size_t rank);
  std::vector<RemoteStack> remote_stacks(std::size_t rank) const;
  void add_groups();
  void submit(std::size_t rank);
  void deliver();
  void try_start(std::size_t group);
  void start(std::size_t group, Picoseconds now);
  void run_done(std::size_t group, Picoseconds now);
  void label_resources();
  void tell(std::size_t group, Picoseconds now) const;
  const CollectiveDecl& decl(std::size_t rank, const CollectiveRequest& request) const {
    return job_.program(rank).collectives[request.collective];
  }
  // A rank alone needs no place.
  std::uint64_t stack_of(std::size_t rank) const;
  CollectiveResources group_resources(const RankGroup& group) const;

  const Job& job_;
  MachineConfig machine_;
  RunListener* listener_;
  Seating seating_;
  StackPools pools_;
  Topology topology_;
  Routes routes_{topology_};
  Traffic traffic_;
  DmaQueues queues_;
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> links_;   // by link of the topology
  std::vector<std::uint32_t> dies_;    // by chip and die: the path into it
  std::vector<std::uint32_t> stacks_;  // by chip
  std::deque<Communicator> groups_;
  // Of every group and kind of collective that has run.
  std::map<std::pair<std::size_t, std::uint32_t>, std::shared_ptr<const Schedule>> schedules_;
  // By rank, then (axis, stream): its group, and its number in it.
  struct Membership {
    std::size_t group;
    std::size_t member;
  };
  std::vector<std::map<std::pair<std::string, std::uint32_t>, Membership>> memberships_;
  TimerActor actor_{[this](std::uint64_t token, Picoseconds now) { start(token, now); }};
  std::vector<std::pair<std::size_t, Completion>> completions_;
  std::vector<std::unique_ptr<CollectiveRun>> finished_;  // kept until their callbacks have returned
  std::unique_ptr<TrafficModule> traffic_module_;
};

}  // namespace trn
