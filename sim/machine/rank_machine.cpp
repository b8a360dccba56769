#include "sim/machine/rank_machine.h"

#include "base/error.h"

namespace trn {

RankMachine::RankMachine(const Program& program, const MachineConfig& machine)
    : queues_(traffic_, machine.core.dma), evaluator_(program, machine.core) {
  FlowEngine& flows = traffic_.flows();
  const std::uint32_t stack =
      flows.add_resource("HBM stack", bytes_per_picosecond(machine.hbm.achievable_stack_rate()));
  for (std::size_t c = 0; c < program.cores.size(); ++c) {
    const std::uint32_t engines = flows.add_resource("DMA engines of core " + std::to_string(c), 1.0);
    std::vector<std::uint32_t>& numbers = queue_numbers_.emplace_back();
    for (const QueueDecl& queue : program.queues)
      numbers.push_back(queues_.add_queue({engines, stack}, queue.priority));
  }
  traffic_module_ = std::make_unique<TrafficModule>("traffic", traffic_, [this] { deliver(); });
  core_module_ = std::make_unique<CoreModule>("cores", evaluator_, [this] { submit(); });
}

void RankMachine::submit() {
  TRN_CHECK(evaluator_.collectives().empty(), "a collective reached a machine of one rank");
  for (const TransferRequest& request : evaluator_.transfers())
    queues_.submit(queue_numbers_[request.core][request.queue], 0, request);
  if (!evaluator_.transfers().empty()) traffic_module_->reschedule();
}

void RankMachine::deliver() {
  for (const TransferDone& done : queues_.completed()) core_module_->complete(done.completion);
  queues_.completed().clear();
}

}  // namespace trn
