// The module tree of one rank: its cores, their DMA queues, the HBM stack they share.
#pragma once

#include <memory>
#include <vector>

#include "isa/program.h"
#include "models/core/core_module.h"
#include "models/interconnect/traffic/traffic_module.h"
#include "models/machine_config.h"
#include "models/memory/dma/dma_queues.h"

namespace trn {

class RankMachine {
 public:
  // Inside a ScopedContext. `program` must outlive the machine.
  RankMachine(const Program& program, const MachineConfig& machine);

  const CoreEvaluator& cores() const { return evaluator_; }
  const Traffic& traffic() const { return traffic_; }
  const DmaQueues& queues() const { return queues_; }

 private:
  void submit();
  void deliver();

  Traffic traffic_;
  DmaQueues queues_;
  CoreEvaluator evaluator_;
  std::vector<std::vector<std::uint32_t>> queue_numbers_;  // [core][program queue]
  std::unique_ptr<TrafficModule> traffic_module_;
  std::unique_ptr<CoreModule> core_module_;
};

}  // namespace trn
