// DMA queues whose transfers are flows: they share engines, stacks and paths max-min fairly.
#pragma once

#include <deque>
#include <utility>

#include "models/memory/dma/transfer_queues.h"

namespace trn {

class DmaQueues : public TransferQueues {
 public:
  DmaQueues(Traffic& traffic, const DmaConfig& config, HbmEfficiency efficiency)
      : TransferQueues(traffic, config), efficiency_(std::move(efficiency)) {}
  void flow_done(std::uint64_t token, Picoseconds now) override;

 private:
  struct Head {
    FlowWatch stack{};
    std::uint64_t cost_row = 0;  // row length that `cost` is of
    HbmEfficiency::Cost cost{};
  };

  void start(std::uint32_t queue, Picoseconds now) override;
  const HbmEfficiency::Cost& hbm_cost(Head& last, const TransferShape& shape) const;

  HbmEfficiency efficiency_;
  std::deque<Head> heads_;  // by queue; they stay where they are: flows report to them
  FlowSpec flow_;           // of the transfer being started
};

// What the transfer takes of its resources; also the contract of the packet-level reference (PacketDma).
// Fills `flow` anew, reusing its storage.
void transfer_flow(const TransferShape& shape, const DmaPath& path, std::uint32_t priority,
                   const DmaConfig& config, const HbmEfficiency::Cost& cost, FlowSpec& flow);

}  // namespace trn
