#include "sim/machine/rank_machine.h"

#include <algorithm>

#include "base/error.h"
#include "sim/machine/chip_stacks.h"

namespace trn {

RankMachine::RankMachine(const Job& job, const MachineConfig& machine, ExecutionObserver* observer,
                         RunListener* listener)
    : program_(job.programs[0]),
      machine_(machine),
      seating_(job, machine),
      topology_(machine.fabric),
      transfers_(make_transfer_model(program_, machine, traffic_,
                                     listener != nullptr ? listener->cores(0, observer) : observer)),
      evaluator_(program_, machine.core, transfers_->observer()),
      listener_(listener),
      alone_(job.ranks() == 1),
      schedules_(program_.collectives.size()),
      streams_(machine.collectives.streams) {
  TRN_CHECK(job.one_program(), "one rank stands for all only if all run the same program");
  add_cores();
  add_axes(job);
  traffic_module_ = std::make_unique<TrafficModule>("traffic", traffic_, [this] { deliver(); });
  core_module_ = std::make_unique<CoreModule>("cores", evaluator_, [this] { submit(); });
  if (listener_ != nullptr) label_resources();
}

// Its links are parts of the chip's, named as a whole: all groups of the axis do the same on them.
void RankMachine::label_resources() {
  using Kind = ResourceLabel::Kind;
  traffic_.flows().listen(listener_->flows());
  transfers_->listen(listener_->packets(0));
  std::map<std::uint32_t, std::pair<std::string, double>> links;  // by resource
  for (const auto& [name, axis] : axes_)
    for (std::size_t c = 0; c < axis.resources.links.size(); ++c) {
      const LinkClass& link = topology_.classes()[c];
      links[axis.resources.links[c]] = {"link " + link.name + ", axis " + name, link.rate};
    }
  const std::vector<FlowEngine::ResourceReport> rows = traffic_.flows().report();
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    ResourceLabel label{Kind::kLink, r, 0, rows[r].name, rows[r].capacity, 1};
    if (rows[r].name.rfind("HBM", 0) == 0) label.kind = Kind::kMemory;
    if (rows[r].name.rfind("DMA", 0) == 0) label.kind = Kind::kDmaEngines;
    if (const auto link = links.find(r); link != links.end()) {
      label.name = link->second.first;
      label.scale = link->second.second / rows[r].capacity;
    }
    listener_->resource(label);
  }
}

std::unique_ptr<MoveListener> RankMachine::moves_of(const Axis& axis, const CollectiveDecl& decl) const {
  if (listener_ == nullptr) return nullptr;
  const auto first = axis.group.ranks.begin();
  return listener_->moves({first, first + axis.group.shape.per_chip}, decl);
}

void RankMachine::tell(const CollectiveRequest& request, Picoseconds started, Picoseconds now) const {
  if (listener_ == nullptr) return;
  const CollectiveDecl& decl = program_.collectives[request.collective];
  listener_->collective({0, decl, schedules_[request.collective]->algorithm,
                         axes_.at(decl.axis).group.ranks.size(), "", request.issued, started, now,
                         request.semaphore, request.region});
}

void RankMachine::add_cores() {
  FlowEngine& flows = traffic_.flows();
  // With LNC=1 the two ranks of a stack share it.
  pools_ = alone_ ? stack_pools_alone(machine_, program_.cores.size())
                  : stack_pools(machine_, program_.cores.size());
  const double part =
      alone_ ? static_cast<double>(pools_.stacks)
             : static_cast<double>(machine_.hbm.stacks) / static_cast<double>(seating_.ranks_per_chip());
  stack_ = flows.add_resource("HBM stack", part * bytes_per_picosecond(machine_.hbm.stack_rate),
                              machine_.hbm.efficiency.turning);
  const std::vector<RemoteStack> remote = alone_ ? remote_stacks() : mirrored_stacks();
  for (std::size_t c = 0; c < program_.cores.size(); ++c) {
    const std::uint32_t engines = flows.add_resource("DMA engines of core " + std::to_string(c), 1.0);
    std::vector<std::uint32_t>& numbers = queue_numbers_.emplace_back();
    for (const QueueDecl& queue : program_.queues)
      numbers.push_back(
          transfers_->queues().add_queue({engines, stack_, remote}, queue.priority, queue.mode));
    if (machine_.core.sequencer.fetch_block.count() > 0)  // one queue an engine, after the program's
      for (std::size_t e = 0; e < kEngineCount; ++e)
        numbers.push_back(transfers_->queues().add_queue({engines, stack_, {}}, 0, DescriptorMode::kStatic));
    engines_.push_back({engines, engine_time_per_byte(machine_, program_.cores.size())});
  }
}

// The only rank sits at stack 0 and has the others, and the path to the other die, to itself.
std::vector<RemoteStack> RankMachine::remote_stacks() {
  FlowEngine& flows = traffic_.flows();
  std::optional<FlowUse> in, out;
  std::vector<RemoteStack> remote;
  for (std::uint32_t further = 1; further <= furthest_stack(program_); ++further) {
    if (further % pools_.stacks != 0) {
      remote.push_back(remote.empty() ? RemoteStack{stack_} : remote.back());
      continue;
    }
    remote.push_back({flows.add_resource(
        "HBM stack +" + std::to_string(further),
        static_cast<double>(pools_.stacks) * bytes_per_picosecond(machine_.hbm.stack_rate),
        machine_.hbm.efficiency.turning)});
    if (die_of_stack(further, machine_.hbm.stacks) == die_of_stack(0, machine_.hbm.stacks)) continue;
    if (!in) {
      in = {flows.add_resource("die-to-die in", bytes_per_picosecond(machine_.die_to_die)), 1};
      out = {flows.add_resource("die-to-die out", bytes_per_picosecond(machine_.die_to_die)), 1};
    }
    remote.back().reads = {*in};
    remote.back().writes = {*out};
  }
  return remote;
}

// All ranks do the same: what this one does elsewhere, others do to its own stack. The path into its die
// carries what its ranks read and what the other die's ranks write, as much as this one writes over there.
std::vector<RemoteStack> RankMachine::mirrored_stacks() {
  std::vector<RemoteStack> remote;
  for (std::uint32_t further = 1; further <= furthest_stack(program_); ++further) {
    remote.push_back({stack_});
    const double away = other_die_share(pools_.count, further / pools_.stacks);
    if (!seating_.has_dies() || away == 0) continue;
    remote.back().reads = remote.back().writes = {{die_path(), away}};
  }
  return remote;
}

// This rank's part of the path into its die.
std::uint32_t RankMachine::die_path() {
  if (!die_path_)
    die_path_ =
        traffic_.flows().add_resource("die-to-die", bytes_per_picosecond(machine_.die_to_die) /
                                                        (static_cast<double>(seating_.ranks_per_chip()) / 2));
  return *die_path_;
}

void RankMachine::add_axes(const Job& job) {
  for (const MeshAxis& mesh_axis : job.mesh) {
    if (mesh_axis.size < 2) continue;
    Axis& axis = axes_[mesh_axis.name];
    axis.group = seating_.groups(mesh_axis.name, topology_)[0];
    add_axis(axis);
    axis.paths = std::make_unique<MovePaths>(axis.group.group, topology_, routes_, axis.resources, machine_);
  }
}

// A chip's ranks share its links and its path between the dies: this rank sees its part of them. It stands
// for all ranks of its group on the chip, each of which takes that part of what they do together.
void RankMachine::add_axis(Axis& axis) {
  FlowEngine& flows = traffic_.flows();
  CollectiveResources& r = axis.resources;
  const double ranks = static_cast<double>(seating_.ranks_per_chip());
  const std::uint32_t members = axis.group.shape.per_chip;
  r.detail = CollectiveResources::Detail::kFolded;
  if (axis.group.shape.chips > 1)  // each of the chip's groups of this axis takes an equal part of its links
    for (const LinkClass& c : topology_.classes())
      r.links.push_back(flows.add_resource("link " + c.name, c.rate * members / ranks));
  std::vector<FlowUse> engines = engines_;
  for (FlowUse& use : engines) use.coefficient /= members;
  for (std::uint32_t m = 0; m < members; ++m) {
    r.memory.push_back({collective_stack_use(stack_, 1.0 / members, machine_.hbm)});
    r.engines.push_back(engines);
  }
  if (members < 2 || !seating_.has_dies()) return;
  for (std::uint32_t m = 0; m < members; ++m) {
    r.die.push_back(static_cast<std::uint32_t>(seating_.die(axis.group.ranks[m])));
    r.into_die.push_back({{die_path(), 1.0 / members}});
  }
}

void RankMachine::submit() {
  for (const TransferRequest& request : evaluator_.transfers())
    transfers_->queues().submit(queue_numbers_[request.core][request.queue], 0, request);
  for (const CollectiveRequest& request : evaluator_.collectives()) enqueue(request);
  if (!evaluator_.transfers().empty() || !evaluator_.collectives().empty()) traffic_module_->reschedule();
}

void RankMachine::deliver() {
  for (const TransferDone& done : transfers_->queues().completed()) {
    if (transfers_->observer() != nullptr)
      transfers_->observer()->transfer_done(done.number, done.started, now());
    core_module_->complete(done.completion);
  }
  transfers_->queues().completed().clear();
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
  std::shared_ptr<const Schedule>& schedule = schedules_[s.waiting.front().collective];
  if (!schedule) schedule = group_schedule(decl, axis.group.shape, machine_);
  CollectiveStart start = collective_start(decl, machine_, seating_.ranks_per_chip());
  s.moves = moves_of(axis, decl);
  start.listener = s.moves.get();
  s.run = std::make_unique<CollectiveRun>(traffic_, *axis.paths, axis.resources, schedule, std::move(start),
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
  tell(request, s.started, now);
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
