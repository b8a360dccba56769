// DMA queues whose transfers are flows: they share engines, stacks and paths max-min fairly.
#pragma once

#include <deque>

#include "models/memory/dma/transfer_queues.h"

namespace trn {

class DmaQueues : public TransferQueues {
 public:
  using TransferQueues::TransferQueues;
  void flow_done(std::uint64_t token, Picoseconds now) override;

 private:
  void start(std::uint32_t queue, Picoseconds now) override;

  std::deque<FlowWatch> stack_;  // by queue, of its head; they stay where they are: flows report to them
  FlowSpec flow_;                // of the transfer being started
};

// What the transfer takes of its resources; also the contract of the packet-level reference (PacketDma). Fills
// `flow` anew, reusing its storage.
void transfer_flow(const TransferShape& shape, const DmaPath& path, std::uint32_t priority,
                   const DmaConfig& config, FlowSpec& flow);

}  // namespace trn
