// The DMA queues of some cores: in order per queue, only a queue's head moves bytes. How it moves them is for
// the classes derived from this: as a flow (DmaQueues), or packet by packet (PacketDma).
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
  Picoseconds started;       // its first byte moved
};

class TransferQueues : public TrafficActor {
 public:
  TransferQueues(Traffic& traffic, const DmaConfig& config) : traffic_(traffic), config_(config) {}

  // Registers one queue; numbers count up.
  std::uint32_t add_queue(DmaPath path, std::uint32_t priority, DescriptorMode mode);
  void submit(std::uint32_t queue, std::uint32_t owner, const TransferRequest& request);

  void flow_done(std::uint64_t, Picoseconds) override {}
  void timer(std::uint64_t token, Picoseconds now) final;  // a head's first byte may move

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

  // Adds what these queues took of the resources without the flow engine's knowledge, over all of the run.
  virtual void add_usage(std::vector<FlowEngine::ResourceReport>&) const {}

 protected:
  struct Pending {
    TransferRequest request;
    std::uint32_t owner;
  };
  // A transfer that has left its queue to the next one.
  struct Passed {
    Pending transfer;
    std::uint32_t queue;
    Picoseconds started;  // its first byte
    Picoseconds moving;   // for so long it was the head and moved
  };

  // The head of a queue starts to move; pass() and then finish() must follow, of each queue in order.
  virtual void start(std::uint32_t queue, Picoseconds now) = 0;
  // The engines are done with the head: the next one may start.
  Passed pass(std::uint32_t queue, Picoseconds now);
  // Its last byte has arrived. `stack`: for how long, and for how many of its bytes, the stack bound it.
  void finish(const Passed& passed, Picoseconds now, const FlowWatch& stack);

  const TransferRequest& head(std::uint32_t queue) const { return queues_[queue].pending.front().request; }
  const DmaPath& path(std::uint32_t queue) const { return queues_[queue].path; }
  // Which core's engines it uses, numbered in order of registration.
  std::size_t engines_of(std::uint32_t queue) const { return queues_[queue].engines; }
  // 0 is served first.
  std::uint32_t priority(std::uint32_t queue) const;
  Traffic& traffic() { return traffic_; }
  const DmaConfig& config() const { return config_; }

 private:
  struct Queue {
    DmaPath path;
    std::uint32_t priority;
    DescriptorMode mode;
    std::size_t engines;          // index into engines_
    std::deque<Pending> pending;  // front: the head
    bool moving = false;
    Picoseconds started;  // the head, if moving
    Picoseconds made;     // the descriptors of its predecessor; 0: the first
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
  void end_idle(const Queue& queue, Picoseconds now);

  Traffic& traffic_;
  DmaConfig config_;
  std::vector<Queue> queues_;
  std::vector<Engines> engines_;
  std::vector<std::vector<TransferTimes>> regions_;  // by owner
  std::vector<TransferDone> completed_;
  Totals totals_;
  std::size_t moving_ = 0;
  Picoseconds moving_since_;
};

}  // namespace trn
