#include "sim/machine/rank_machine.h"

#include <algorithm>

#include "base/error.h"

namespace trn {

RankMachine::RankMachine(const Program& program, const MachineConfig& machine, Mesh mesh)
    : program_(program),
      machine_(machine),
      mesh_(mesh),
      topology_(machine.fabric),
      queues_(traffic_, machine.core.dma),
      evaluator_(program, machine.core),
      streams_(machine.collectives.streams) {
  FlowEngine& flows = traffic_.flows();
  const std::uint32_t stack =
      flows.add_resource("HBM stack", bytes_per_picosecond(machine.hbm.achievable_stack_rate()));
  fabric_.detail = FabricResources::Detail::kOne;
  fabric_.hbm = {{{stack, 1.0}}};
  fabric_.dma.emplace_back();
  for (std::size_t c = 0; c < program.cores.size(); ++c) {
    const std::uint32_t engines = flows.add_resource("DMA engines of core " + std::to_string(c), 1.0);
    std::vector<std::uint32_t>& numbers = queue_numbers_.emplace_back();
    for (const QueueDecl& queue : program.queues)
      numbers.push_back(queues_.add_queue({engines, stack}, queue.priority));
    // A byte of a collective takes engine time on all engines of the rank alike.
    const double engine_time = 1 / (bytes_per_picosecond(machine.core.dma.engine_rate) *
                                    static_cast<double>(machine.core.dma.engines * program.cores.size()));
    fabric_.dma[0].push_back({engines, engine_time});
  }
  // The ranks of a chip use its links at the same time, each for its own group: 1/R each.
  const double share = 1 / static_cast<double>(mesh.ranks_per_chip);
  if (mesh.chips > 1)
    for (const LinkClass& c : topology_.classes())
      fabric_.links.push_back(flows.add_resource("link " + c.name, c.rate * share));
  // Two dies: half of the ranks sit across, and all of this die's ranks send there.
  if (mesh.ranks_per_chip > 2) {
    const double half = static_cast<double>(mesh.ranks_per_chip) / 2;
    const std::uint32_t path =
        flows.add_resource("die-to-die", bytes_per_picosecond(machine.die_to_die) / half);
    fabric_.crossing = {{path, half / static_cast<double>(mesh.ranks_per_chip - 1)}};
  }
  traffic_module_ = std::make_unique<TrafficModule>("traffic", traffic_, [this] { deliver(); });
  core_module_ = std::make_unique<CoreModule>("cores", evaluator_, [this] { submit(); });
}

void RankMachine::submit() {
  for (const TransferRequest& request : evaluator_.transfers())
    queues_.submit(queue_numbers_[request.core][request.queue], 0, request);
  for (const CollectiveRequest& request : evaluator_.collectives()) enqueue(request);
  if (!evaluator_.transfers().empty() || !evaluator_.collectives().empty()) traffic_module_->reschedule();
}

void RankMachine::deliver() {
  for (const TransferDone& done : queues_.completed()) core_module_->complete(done.completion);
  queues_.completed().clear();
  for (const Completion& completion : collective_completions_) core_module_->complete(completion);
  collective_completions_.clear();
  finished_.clear();
}

// Collectives of one stream run one after another, each from its trigger on at the earliest.
void RankMachine::enqueue(const CollectiveRequest& request) {
  const std::size_t stream = program_.collectives[request.collective].stream;
  streams_[stream].waiting.push_back(request);
  if (streams_[stream].waiting.size() == 1) traffic_.start_timer(request.issued, stream_actor_, stream);
}

Schedule RankMachine::schedule_of(const CollectiveDecl& decl) const {
  if (decl.axis == "tp")
    return make_chip_schedule(decl.op, decl.bytes, mesh_.ranks_per_chip,
                              machine_.core.dma.accumulate_slowdown);
  CollectiveShape shape;
  shape.op = decl.op;
  shape.bytes = decl.bytes;
  shape.slices = machine_.collectives.slices;
  shape.min_slice_bytes = machine_.collectives.min_slice_bytes;
  shape.reduce_slowdown = machine_.core.dma.accumulate_slowdown;
  return make_schedule(shape, topology_);
}

void RankMachine::start_collective(std::size_t stream, Picoseconds now) {
  Stream& s = streams_[stream];
  s.started = now;
  const CollectiveDecl& decl = program_.collectives[s.waiting.front().collective];
  CollectiveConfig config = machine_.collectives;
  if (decl.axis != "tp") config.packet = config.data_packet;
  s.run = std::make_unique<CollectiveRun>(traffic_, topology_, fabric_, schedule_of(decl), config,
                                          [this, stream](Picoseconds at) { collective_done(stream, at); });
  s.run->start(now);
}

void RankMachine::collective_done(std::size_t stream, Picoseconds now) {
  Stream& s = streams_[stream];
  const CollectiveRequest request = s.waiting.front();
  s.waiting.pop_front();
  const CollectiveDecl& decl = program_.collectives[request.collective];
  CollectiveTotals& totals = totals_[{decl.axis, decl.op}];
  ++totals.count;
  totals.bytes += decl.bytes;
  totals.time += now - s.started;
  last_collective_ = now;
  if (request.semaphore != kNoSemaphore)  // every core of the rank sees it
    for (std::uint32_t core = 0; core < evaluator_.core_count(); ++core)
      collective_completions_.push_back({core, request.semaphore, request.increment, std::nullopt});
  finished_.push_back(std::move(s.run));
  if (!s.waiting.empty())
    traffic_.start_timer(std::max(now, s.waiting.front().issued), stream_actor_, stream);
}

bool RankMachine::collectives_done() const {
  return std::all_of(streams_.begin(), streams_.end(), [](const Stream& s) { return s.waiting.empty(); });
}

}  // namespace trn
