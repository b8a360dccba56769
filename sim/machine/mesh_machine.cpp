#include "sim/machine/mesh_machine.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace trn {

MeshMachine::MeshMachine(const Job& job, const MachineConfig& machine, RunListener* listener)
    : job_(job),
      machine_(machine),
      listener_(listener),
      seating_(job, machine),
      pools_(job.ranks() == 1 ? stack_pools_alone(machine, job.programs[0].cores.size())
                              : stack_pools(machine, job.programs[0].cores.size())),
      topology_(machine.fabric),
      queues_(traffic_, machine.core.dma, machine.hbm.efficiency),
      ranks_(job.ranks()),
      memberships_(job.ranks()) {
  add_fabric();
  add_stacks();
  traffic_module_ = std::make_unique<TrafficModule>("traffic", traffic_, [this] { deliver(); });
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) add_rank(rank);
  add_groups();
  if (listener_ != nullptr) label_resources();
}

void MeshMachine::label_resources() {
  using Kind = ResourceLabel::Kind;
  FlowEngine& flows = traffic_.flows();
  flows.listen(listener_->flows());
  const std::vector<FlowEngine::ResourceReport> rows = flows.report();
  std::vector<std::uint64_t> first_rank(seating_.chips());  // of a chip
  for (std::uint64_t r = job_.ranks(); r-- > 0;) first_rank[job_.ranks() == 1 ? 0 : seating_.chip(r)] = r;
  const auto label = [&](Kind kind, std::uint32_t resource, std::uint64_t rank, const std::string& name) {
    listener_->resource({kind, resource, rank, name, rows[resource].capacity, 1});
  };
  const std::string pool =
      pools_.stacks == 1 ? "HBM stack " : "HBM, " + std::to_string(pools_.stacks) + " stacks ";
  for (std::size_t s = 0; s < stacks_.size(); ++s)
    label(Kind::kMemory, stacks_[s], first_rank[s / pools_.count], pool + std::to_string(s % pools_.count));
  for (std::size_t r = 0; r < ranks_.size(); ++r)
    for (const FlowUse& engines : ranks_[r].engines)
      label(Kind::kDmaEngines, engines.resource, r, rows[engines.resource].name);
  for (std::size_t d = 0; d < dies_.size(); ++d)
    label(Kind::kLink, dies_[d], first_rank[d / 2], "die-to-die into die " + std::to_string(d % 2));
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const Link& link = topology_.links()[l];
    label(Kind::kLink, links_[l], link.from < first_rank.size() ? first_rank[link.from] : 0,
          rows[links_[l]].name + ' ' + topology_.vertex_name(link.from) + " to " +
              topology_.vertex_name(link.to));
  }
}

void MeshMachine::tell(std::size_t g, Picoseconds now) const {
  if (listener_ == nullptr) return;
  const Communicator& group = groups_[g];
  std::vector<std::string> members;
  for (const std::uint64_t rank : group.members.ranks) members.push_back(std::to_string(rank));
  for (std::size_t m = 0; m < group.members.ranks.size(); ++m) {
    const CollectiveRequest& request = group.asked[m].front();
    listener_->collective({group.members.ranks[m], decl(group.members.ranks[m], request),
                           schedules_.at({g, group.asked[0].front().collective})->algorithm,
                           group.members.ranks.size(), join(members, ","), request.issued, group.started, now,
                           request.semaphore, request.region});
  }
}

void MeshMachine::add_fabric() {
  FlowEngine& flows = traffic_.flows();
  if (seating_.chips() > 1)
    for (const Link& link : topology_.links()) {
      const LinkClass& c = topology_.classes()[link.link_class];
      links_.push_back(flows.add_resource("link " + c.name, c.rate));
    }
  if (seating_.has_dies() || (job_.ranks() == 1 && machine_.hbm.stacks > 2))
    for (std::uint64_t die = 0; die < 2 * seating_.chips(); ++die)
      dies_.push_back(flows.add_resource("die-to-die", bytes_per_picosecond(machine_.die_to_die)));
}

void MeshMachine::add_stacks() {
  for (std::uint64_t stack = 0; stack < seating_.chips() * pools_.count; ++stack)
    stacks_.push_back(traffic_.flows().add_resource(
        "HBM stack", static_cast<double>(pools_.stacks) * bytes_per_picosecond(machine_.hbm.stack_rate),
        machine_.hbm.efficiency.turning));
}

// Inside its chip. The ranks of a pool sit side by side; with LNC=1 two share a stack.
std::uint64_t MeshMachine::stack_of(std::size_t rank) const {
  return job_.ranks() == 1
             ? 0
             : job_.seat(rank) % seating_.ranks_per_chip() * pools_.count / seating_.ranks_per_chip();
}

// The chip's stacks from the rank's own on.
std::vector<RemoteStack> MeshMachine::remote_stacks(std::size_t r) const {
  const std::uint64_t stacks = pools_.count;
  const std::uint64_t chip = job_.ranks() == 1 ? 0 : seating_.chip(r);
  const std::uint64_t own = stack_of(r);
  std::vector<RemoteStack> remote;
  for (std::uint32_t further = 1; further <= furthest_stack(job_.program(r)); ++further) {
    const std::uint64_t there = (own + further / pools_.stacks) % stacks;
    remote.push_back({stacks_[chip * stacks + there]});
    const std::uint64_t here_die = die_of_stack(own, stacks), there_die = die_of_stack(there, stacks);
    if (dies_.empty() || here_die == there_die) continue;
    remote.back().reads = {{dies_[2 * chip + here_die], 1}};
    remote.back().writes = {{dies_[2 * chip + there_die], 1}};
  }
  return remote;
}

void MeshMachine::add_rank(std::size_t r) {
  FlowEngine& flows = traffic_.flows();
  const Program& program = job_.program(r);
  Rank& rank = ranks_[r];
  rank.stack = stacks_[(job_.ranks() == 1 ? 0 : seating_.chip(r)) * pools_.count + stack_of(r)];
  const std::vector<RemoteStack> remote = remote_stacks(r);
  for (std::size_t c = 0; c < program.cores.size(); ++c) {
    const std::uint32_t engines = flows.add_resource("DMA engines of core " + std::to_string(c), 1.0);
    rank.engines.push_back({engines, engine_time_per_byte(machine_, program.cores.size())});
    std::vector<std::uint32_t>& numbers = rank.queues.emplace_back();
    for (const QueueDecl& queue : program.queues)
      numbers.push_back(queues_.add_queue({engines, rank.stack, remote}, queue.priority, queue.mode));
    if (machine_.core.sequencer.fetch_block.count() > 0)  // one queue an engine, after the program's
      for (std::size_t e = 0; e < kEngineCount; ++e)
        numbers.push_back(queues_.add_queue({engines, rank.stack, {}}, 0, DescriptorMode::kStatic));
  }
  if (listener_ != nullptr) rank.observer = listener_->cores(r, nullptr);
  rank.evaluator = std::make_unique<CoreEvaluator>(program, machine_.core, rank.observer);
  rank.module = std::make_unique<CoreModule>(("rank" + std::to_string(r)).c_str(), *rank.evaluator,
                                             [this, r] { submit(r); });
}

void MeshMachine::add_groups() {
  for (const MeshAxis& axis : job_.mesh) {
    if (axis.size < 2) continue;
    for (const RankGroup& members : seating_.groups(axis.name, topology_)) {
      for (std::uint32_t stream = 0; stream < machine_.collectives.streams; ++stream) {
        for (std::size_t m = 0; m < members.ranks.size(); ++m)
          memberships_[members.ranks[m]][{axis.name, stream}] = {groups_.size(), m};
        Communicator& group = groups_.emplace_back();
        group.members = members;
        group.asked.resize(members.ranks.size());
        group.resources = group_resources(members);
        group.paths =
            std::make_unique<MovePaths>(group.members.group, topology_, routes_, group.resources, machine_);
      }
    }
  }
}

void MeshMachine::submit(std::size_t r) {
  Rank& rank = ranks_[r];
  for (const TransferRequest& request : rank.evaluator->transfers())
    queues_.submit(rank.queues[request.core][request.queue], static_cast<std::uint32_t>(r), request);
  for (const CollectiveRequest& request : rank.evaluator->collectives()) {
    const CollectiveDecl& asked = decl(r, request);
    const Membership at = memberships_[r].at({asked.axis, asked.stream});
    groups_[at.group].asked[at.member].push_back(request);
    try_start(at.group);
  }
  if (!rank.evaluator->transfers().empty() || !rank.evaluator->collectives().empty())
    traffic_module_->reschedule();
}

void MeshMachine::try_start(std::size_t g) {
  Communicator& group = groups_[g];
  if (group.busy ||
      std::any_of(group.asked.begin(), group.asked.end(), [](const auto& queue) { return queue.empty(); }))
    return;
  group.busy = true;
  Picoseconds latest = now();
  for (const auto& queue : group.asked) latest = std::max(latest, queue.front().issued);
  traffic_.start_timer(latest, actor_, g);
}

void MeshMachine::start(std::size_t g, Picoseconds now) {
  Communicator& group = groups_[g];
  const RankGroup& members = group.members;
  const CollectiveRequest& request = group.asked[0].front();
  const CollectiveDecl& first = decl(members.ranks[0], request);
  for (std::size_t m = 0; m < members.ranks.size(); ++m)
    TRN_CHECK(decl(members.ranks[m], group.asked[m].front()) == first,
              "the members of a group disagree on a collective");
  std::shared_ptr<const Schedule>& schedule = schedules_[{g, request.collective}];
  if (!schedule) schedule = group_schedule(first, members.shape, machine_);
  CollectiveStart start = collective_start(first, machine_, seating_.ranks_per_chip());
  if (listener_ != nullptr) group.moves = listener_->moves(members.ranks, first);
  start.listener = group.moves.get();
  group.started = now;
  group.run =
      std::make_unique<CollectiveRun>(traffic_, *group.paths, group.resources, schedule, std::move(start),
                                      [this, g](Picoseconds at) { run_done(g, at); });
  group.run->start(now);
}

CollectiveResources MeshMachine::group_resources(const RankGroup& group) const {
  CollectiveResources r;
  r.detail = CollectiveResources::Detail::kFull;
  r.links = links_;
  for (const std::uint64_t rank : group.ranks) {
    r.memory.push_back({collective_stack_use(ranks_[rank].stack, 1, machine_.hbm)});
    r.engines.push_back(ranks_[rank].engines);
    if (!seating_.has_dies()) continue;
    r.die.push_back(static_cast<std::uint32_t>(seating_.die(rank)));
    r.into_die.push_back({{dies_[2 * seating_.chip(rank) + seating_.die(rank)], 1}});
  }
  return r;
}

void MeshMachine::run_done(std::size_t g, Picoseconds now) {
  Communicator& group = groups_[g];
  tell(g, now);
  for (const std::uint64_t rank : group.members.ranks) ranks_[rank].last_traffic = now;
  for (std::size_t m = 0; m < group.members.ranks.size(); ++m) {
    const CollectiveRequest request = group.asked[m].front();
    group.asked[m].pop_front();
    if (request.semaphore == kNoSemaphore) continue;
    for (std::uint32_t core = 0; core < ranks_[group.members.ranks[m]].evaluator->core_count(); ++core)
      completions_.push_back(
          {group.members.ranks[m], {core, request.semaphore, request.increment, std::nullopt}});
  }
  finished_.push_back(std::move(group.run));
  group.busy = false;
  try_start(g);
}

void MeshMachine::deliver() {
  for (const TransferDone& done : queues_.completed()) {
    if (ExecutionObserver* observer = ranks_[done.owner].observer)
      observer->transfer_done(done.number, done.started, now());
    ranks_[done.owner].module->complete(done.completion);
    ranks_[done.owner].last_traffic = now();
  }
  queues_.completed().clear();
  for (const auto& [rank, completion] : completions_) ranks_[rank].module->complete(completion);
  completions_.clear();
  finished_.clear();
}

Picoseconds MeshMachine::finish(std::size_t rank) const {
  return std::max(ranks_[rank].evaluator->finish(), ranks_[rank].last_traffic);
}

bool MeshMachine::done() const {
  return std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.evaluator->done(); });
}

std::vector<std::string> MeshMachine::blocked() const {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_[r].evaluator->done()) continue;
    std::vector<std::string> lines = ranks_[r].evaluator->blocked();
    for (std::string& line : lines) line = "rank " + std::to_string(r) + ' ' + line;
    return lines;
  }
  return {};
}

}  // namespace trn
