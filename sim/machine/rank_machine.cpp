#include "sim/machine/rank_machine.h"

#include <algorithm>

#include "base/error.h"

namespace trn {

RankMachine::RankMachine(const Job& job, const MachineConfig& machine, ExecutionObserver* observer)
    : program_(job.programs[0]),
      machine_(machine),
      observer_(observer),
      topology_(machine.fabric),
      queues_(traffic_, machine.core.dma),
      evaluator_(program_, machine.core, observer),
      streams_(machine.collectives.streams) {
  TRN_CHECK(job.one_program(), "one rank stands for all only if all run the same program");
  add_cores();
  add_axes(job);
  traffic_module_ = std::make_unique<TrafficModule>("traffic", traffic_, [this] { deliver(); });
  core_module_ = std::make_unique<CoreModule>("cores", evaluator_, [this] { submit(); });
}

void RankMachine::add_cores() {
  FlowEngine& flows = traffic_.flows();
  stack_ = flows.add_resource("HBM stack", bytes_per_picosecond(machine_.hbm.achievable_stack_rate()));
  for (std::size_t c = 0; c < program_.cores.size(); ++c) {
    const std::uint32_t engines = flows.add_resource("DMA engines of core " + std::to_string(c), 1.0);
    std::vector<std::uint32_t>& numbers = queue_numbers_.emplace_back();
    for (const QueueDecl& queue : program_.queues)
      numbers.push_back(queues_.add_queue({engines, stack_}, queue.priority, queue.mode));
    engines_.push_back({engines, engine_time_per_byte(machine_, program_.cores.size())});
  }
}

// A chip's ranks share its links and its path between the dies: this rank sees its part of them.
void RankMachine::add_axes(const Job& job) {
  FlowEngine& flows = traffic_.flows();
  const Seating seating(job, machine_);
  const double ranks = static_cast<double>(seating.ranks_per_chip());
  std::uint32_t die_path = 0;
  for (const MeshAxis& axis : job.mesh) {
    if (axis.size < 2) continue;
    Axis& a = axes_[axis.name];
    a.group = seating.groups(axis.name)[0];
    const double members = a.group.inside_chip() ? 1 : static_cast<double>(a.group.per_chip);
    a.fabric.detail = FabricResources::Detail::kOne;
    if (!a.group.inside_chip()) {
      // Each of the chip's groups of this axis takes an equal part of its links.
      for (const LinkClass& c : topology_.classes())
        a.fabric.links.push_back(flows.add_resource("link " + c.name, c.rate * members / ranks));
    }
    a.fabric.hbm = {{{stack_, 1 / members}}};
    a.fabric.dma.emplace_back();
    for (const FlowUse& use : engines_) a.fabric.dma[0].push_back({use.resource, use.coefficient / members});
    const double away = seating.other_die_share(a.group, 0);
    if (away == 0) continue;
    if (die_path == 0)
      die_path = flows.add_resource("die-to-die", bytes_per_picosecond(machine_.die_to_die) / (ranks / 2));
    a.fabric.crossing = {{{die_path, away / members}}};
  }
}

void RankMachine::submit() {
  for (const TransferRequest& request : evaluator_.transfers())
    queues_.submit(queue_numbers_[request.core][request.queue], 0, request);
  for (const CollectiveRequest& request : evaluator_.collectives()) enqueue(request);
  if (!evaluator_.transfers().empty() || !evaluator_.collectives().empty()) traffic_module_->reschedule();
}

void RankMachine::deliver() {
  for (const TransferDone& done : queues_.completed()) {
    if (observer_ != nullptr) observer_->transfer_done(done.number, now());
    core_module_->complete(done.completion);
  }
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

void RankMachine::start_collective(std::size_t stream, Picoseconds now) {
  Stream& s = streams_[stream];
  s.started = now;
  const CollectiveDecl& decl = program_.collectives[s.waiting.front().collective];
  const Axis& axis = axes_.at(decl.axis);
  s.run = std::make_unique<CollectiveRun>(
      traffic_, topology_, axis.fabric, group_schedule(decl, axis.group, machine_, topology_),
      collective_config(decl, machine_), [this, stream](Picoseconds at) { collective_done(stream, at); });
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
      collective_completions_.push_back({core, request.semaphore, request.increment, std::nullopt, false});
  finished_.push_back(std::move(s.run));
  if (!s.waiting.empty())
    traffic_.start_timer(std::max(now, s.waiting.front().issued), stream_actor_, stream);
}

bool RankMachine::collectives_done() const {
  return std::all_of(streams_.begin(), streams_.end(), [](const Stream& s) { return s.waiting.empty(); });
}

}  // namespace trn
