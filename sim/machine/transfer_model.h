// What moves the transfers of a rank: flows, or packets before the channels of HBM.
#pragma once

#include <memory>

#include "models/memory/dma/packet_listener.h"
#include "models/memory/dma/transfer_queues.h"
#include "models/memory/hbm/channel_memory.h"

namespace trn {

class TransferModel {
 public:
  virtual ~TransferModel() = default;
  virtual TransferQueues& queues() = 0;
  // Who listens to the cores; nobody: null.
  virtual ExecutionObserver* observer() = 0;
  // The rank's own stack, where its channels are simulated; else null.
  virtual const ChannelMemory* channels() const { return nullptr; }
  // Where packets are simulated one by one.
  virtual void listen(PacketListener*) {}
};

// As `machine.hbm.model` says. The arguments must outlive it; `observer` may be null.
std::unique_ptr<TransferModel> make_transfer_model(const Program& program, const MachineConfig& machine,
                                                   Traffic& traffic, ExecutionObserver* observer);

}  // namespace trn
