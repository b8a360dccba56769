#include "sim/machine/transfer_model.h"

#include "models/memory/dma/dma_queues.h"
#include "models/memory/dma/packet_dma.h"
#include "models/memory/dma/transfer_recorder.h"
#include "sim/machine/chip_stacks.h"

namespace trn {
namespace {

class FlowTransfers : public TransferModel {
 public:
  FlowTransfers(Traffic& traffic, const MachineConfig& machine, ExecutionObserver* observer)
      : queues_(traffic, machine.core.dma, machine.hbm.efficiency), observer_(observer) {}
  TransferQueues& queues() override { return queues_; }
  ExecutionObserver* observer() override { return observer_; }

 private:
  DmaQueues queues_;
  ExecutionObserver* observer_;
};

// Every stack that the program uses is one of its own, of the same kind.
class ChannelTransfers : public TransferModel {
 public:
  ChannelTransfers(const Program& program, const MachineConfig& machine, Traffic& traffic,
                   ExecutionObserver* observer)
      : recorder_(program, machine.core, observer),
        stacks_(furthest_stack(program) + 1, ChannelMemory(machine.hbm.dram)),
        queues_(traffic, machine.core.dma, ports(),
                [this](const TransferRequest& request) { return recorder_.take(request); }) {}
  TransferQueues& queues() override { return queues_; }
  ExecutionObserver* observer() override { return &recorder_; }
  const ChannelMemory* channels() const override { return &stacks_[0]; }

 private:
  std::vector<MemoryPort*> ports() {
    std::vector<MemoryPort*> ports;
    for (ChannelMemory& stack : stacks_) ports.push_back(&stack);
    return ports;
  }

  TransferRecorder recorder_;
  std::vector<ChannelMemory> stacks_;
  PacketDma queues_;
};

}  // namespace

std::unique_ptr<TransferModel> make_transfer_model(const Program& program, const MachineConfig& machine,
                                                   Traffic& traffic, ExecutionObserver* observer) {
  if (machine.hbm.model == HbmModel::kChannel)
    return std::make_unique<ChannelTransfers>(program, machine, traffic, observer);
  return std::make_unique<FlowTransfers>(traffic, machine, observer);
}

}  // namespace trn
