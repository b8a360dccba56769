// The module tree of one rank that stands for all: its cores, their DMA queues, the HBM stack they share, and
// the links as far as its collectives use them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "isa/job.h"
#include "models/core/core_module.h"
#include "models/interconnect/collectives/collective_run.h"
#include "models/interconnect/traffic/traffic_module.h"
#include "models/machine_config.h"
#include "sim/machine/chip_stacks.h"
#include "sim/machine/rank_group.h"
#include "sim/machine/run_listener.h"
#include "sim/machine/transfer_model.h"

namespace trn {

// Sums over the collectives of one axis and operation.
struct CollectiveTotals {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  // nccom-test's size
  Picoseconds time;         // from trigger to completion, one after another on a stream
};

class RankMachine {
 public:
  // Inside a ScopedContext. A checked job of one program; it must outlive the machine.
  // Observer and listener must outlive it too.
  RankMachine(const Job& job, const MachineConfig& machine, ExecutionObserver* observer = nullptr,
              RunListener* listener = nullptr);

  const CoreEvaluator& cores() const { return evaluator_; }
  const Traffic& traffic() const { return traffic_; }
  const TransferQueues& queues() const { return transfers_->queues(); }
  // The stack's channels, where they are simulated.
  const ChannelMemory* channels() const { return transfers_->channels(); }
  // Resource numbers: the rank's HBM stack, and the DMA engines of each core.
  std::uint32_t stack() const { return stack_; }
  const std::vector<FlowUse>& engines() const { return engines_; }
  Picoseconds last_collective() const { return last_collective_; }
  // By (axis, operation).
  const std::map<std::pair<std::string, CollectiveOp>, CollectiveTotals>& collectives() const {
    return totals_;
  }
  bool collectives_done() const;

 private:
  struct Stream {
    std::deque<CollectiveRequest> waiting;  // front: in flight
    std::unique_ptr<CollectiveRun> run;
    std::unique_ptr<MoveListener> moves;
    Picoseconds started;
  };

  // What a collective over an axis takes of this rank's resources.
  struct Axis {
    RankGroup group;
    CollectiveResources resources;
    std::unique_ptr<MovePaths> paths;
  };

  void add_cores();
  std::vector<RemoteStack> remote_stacks();
  std::vector<RemoteStack> mirrored_stacks();
  std::uint32_t die_path();
  void add_axes(const Job& job);
  void add_axis(Axis& axis);
  void submit();
  void deliver();
  void enqueue(const CollectiveRequest& request);
  void start_collective(std::size_t stream, Picoseconds now);
  void collective_done(std::size_t stream, Picoseconds now);
  void label_resources();
  std::unique_ptr<MoveListener> moves_of(const Axis& axis, const CollectiveDecl& decl) const;
  void tell(const CollectiveRequest& request, Picoseconds started, Picoseconds now) const;

  const Program& program_;
  MachineConfig machine_;
  Seating seating_;
  Topology topology_;
  Routes routes_{topology_};
  Traffic traffic_;
  std::unique_ptr<TransferModel> transfers_;
  CoreEvaluator evaluator_;
  std::uint32_t stack_ = 0;
  StackPools pools_{};
  RunListener* listener_;
  bool alone_;  // the only rank
  std::optional<std::uint32_t> die_path_;
  std::vector<FlowUse> engines_;  // engine time of a byte, over all engines of the rank
  std::map<std::string, Axis> axes_;
  std::vector<std::shared_ptr<const Schedule>> schedules_;  // by number of the program's collective
  TimerActor stream_actor_{[this](std::uint64_t token, Picoseconds now) { start_collective(token, now); }};
  std::vector<Stream> streams_;
  std::vector<std::unique_ptr<CollectiveRun>> finished_;  // kept until their callbacks have returned
  std::vector<Completion> collective_completions_;
  std::map<std::pair<std::string, CollectiveOp>, CollectiveTotals> totals_;
  Picoseconds last_collective_;
  std::vector<std::vector<std::uint32_t>> queue_numbers_;  // [core][program queue]
  std::unique_ptr<TrafficModule> traffic_module_;
  std::unique_ptr<CoreModule> core_module_;
};

}  // namespace trn
