// The DMA queues of some cores: in order per queue, only a queue's head moves bytes.
#pragma once

#include <deque>
#include <vector>

#include "models/core/engine/core_evaluator.h"
#include "models/interconnect/traffic/traffic.h"
#include "models/memory/dma/transfer_losses.h"

namespace trn {

// Where the bytes of another stack go.
struct RemoteStack {
  std::uint32_t stack;            // resource: bytes a ps
  std::vector<FlowUse> reads{};   // resources on the way here, and
  std::vector<FlowUse> writes{};  // on the way there: the path between the dies, units a byte
};

// Where a core's traffic goes.
struct DmaPath {
  std::uint32_t engines;              // resource: the core's DMA engines, in ps of engine time a ps
  std::uint32_t stack;                // resource: the core's HBM stack, bytes a ps
  std::vector<RemoteStack> remote{};  // by stack, counted from the own: the first is stack 1
};

// A transfer whose last byte has arrived.
struct TransferDone {
  std::uint32_t owner = 0;  // as given to submit
  Completion completion;
  std::uint64_t number = 0;  // the request's
};

class DmaQueues : public TrafficActor {
 public:
  DmaQueues(Traffic& traffic, const DmaConfig& config, HbmEfficiency efficiency)
      : traffic_(traffic), config_(config), efficiency_(std::move(efficiency)) {}

  // Registers one queue; numbers count up.
  std::uint32_t add_queue(DmaPath path, std::uint32_t priority, DescriptorMode mode);
  void submit(std::uint32_t queue, std::uint32_t owner, const TransferRequest& request);

  void flow_done(std::uint64_t token, Picoseconds now) override;
  void timer(std::uint64_t token, Picoseconds now) override;

  std::vector<TransferDone>& completed() { return completed_; }

  struct Totals {
    std::uint64_t transfers = 0;
    Bytes bytes, hbm_read, hbm_write;
    Bytes fetched;                 // blocks of instructions, counted in no other total
    Picoseconds active;            // some transfer of these queues was moving
    Picoseconds last;              // end of the last transfer
    Picoseconds descriptors_only;  // none was moving, and the next one that would had been triggered
  };
  const Totals& totals() const { return totals_; }
  // An owner's, by its program's regions; those at the end that moved nothing are left out.
  const std::vector<TransferTimes>& regions(std::size_t owner) const;
  // Moved by the engines that are this resource.
  Bytes moved(std::uint32_t engines) const;

 private:
  struct Pending {
    TransferRequest request;
    std::uint32_t owner;
  };
  struct Queue {
    DmaPath path;
    std::uint32_t priority;
    DescriptorMode mode;
    std::size_t engines;            // index into engines_
    std::deque<Pending> pending{};  // front: the head
    bool moving = false;
    Picoseconds started{};       // the head, if moving
    Picoseconds made{};          // the descriptors of its predecessor; 0: the first
    FlowWatch stack{};           // of the head
    std::uint64_t cost_row = 0;  // row length that `cost` is of
    HbmEfficiency::Cost cost{};
  };
  // The engines of one core.
  struct Engines {
    std::uint32_t resource;
    std::size_t queued = 0;  // queues that have transfers
    std::size_t moving = 0;
    Picoseconds idle_since;
    Bytes moved;
  };

  TransferTimes& region_of(const Pending& transfer);
  const HbmEfficiency::Cost& hbm_cost(Queue& queue, const TransferShape& shape) const;
  void end_idle(const Queue& queue, Picoseconds now);

  Traffic& traffic_;
  DmaConfig config_;
  HbmEfficiency efficiency_;
  std::deque<Queue> queues_;  // stay where they are: flows report to them
  std::vector<Engines> engines_;
  std::vector<std::vector<TransferTimes>> regions_;  // by owner
  std::vector<TransferDone> completed_;
  FlowSpec flow_;  // of the transfer being started
  Totals totals_;
  std::size_t moving_ = 0;
  Picoseconds moving_since_;
};

// What the transfer takes of its resources; also the contract of the packet-level reference in tests. Fills
// `flow` anew, reusing its storage.
void transfer_flow(const TransferShape& shape, const DmaPath& path, std::uint32_t priority,
                   const DmaConfig& config, const HbmEfficiency::Cost& cost, FlowSpec& flow);

}  // namespace trn
