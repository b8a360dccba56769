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

// Every pool of stacks that the program uses is one of its own, of the same kind.
class ChannelTransfers : public TransferModel {
 public:
  ChannelTransfers(const Program& program, const MachineConfig& machine, Traffic& traffic,
                   ExecutionObserver* observer)
      : recorder_(program, machine.core, observer),
        pools_(stack_pools_alone(machine, program.cores.size())),
        stacks_(furthest_stack(program) / pools_.stacks + 1,
                ChannelMemory(interleaved(machine.hbm.dram, pools_.stacks))),
        queues_(traffic, machine.core.dma, ports(),
                [this](const TransferRequest& request) { return recorder_.take(request); }) {}
  TransferQueues& queues() override { return queues_; }
  ExecutionObserver* observer() override { return &recorder_; }
  const ChannelMemory* channels() const override { return &stacks_[0]; }
  void listen(PacketListener* listener) override { queues_.listen(listener); }

 private:
  std::vector<MemoryPort*> ports() {
    std::vector<MemoryPort*> ports;
    for (std::uint64_t stack = 0; stack < stacks_.size() * pools_.stacks; ++stack)
      ports.push_back(&stacks_[stack / pools_.stacks]);
    return ports;
  }

  TransferRecorder recorder_;
  StackPools pools_;
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
