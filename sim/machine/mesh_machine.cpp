#include "sim/machine/mesh_machine.h"

#include <algorithm>

#include "base/error.h"
#include "sim/machine/chip_stacks.h"

namespace trn {

MeshMachine::MeshMachine(const Job& job, const MachineConfig& machine)
    : job_(job),
      machine_(machine),
      seating_(job, machine),
      topology_(machine.fabric),
      queues_(traffic_, machine.core.dma, machine.hbm.efficiency),
      ranks_(job.ranks()),
      memberships_(job.ranks()) {
  add_fabric();
  add_stacks();
  traffic_module_ = std::make_unique<TrafficModule>("traffic", traffic_, [this] { deliver(); });
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) add_rank(rank);
  add_groups();
}

void MeshMachine::add_fabric() {
  FlowEngine& flows = traffic_.flows();
  if (seating_.chips() > 1)
    for (const LinkClass& c : topology_.classes())
      for (std::uint64_t chip = 0; chip < seating_.chips(); ++chip)
        links_.push_back(flows.add_resource("link " + c.name, c.rate));
  if (seating_.has_dies() || (job_.ranks() == 1 && machine_.hbm.stacks > 2))
    for (std::uint64_t die = 0; die < 2 * seating_.chips(); ++die)
      dies_.push_back(flows.add_resource("die-to-die", bytes_per_picosecond(machine_.die_to_die)));
}

void MeshMachine::add_stacks() {
  for (std::uint64_t stack = 0; stack < seating_.chips() * chip_stacks(); ++stack)
    stacks_.push_back(traffic_.flows().add_resource(
        "HBM stack", bytes_per_picosecond(machine_.hbm.stack_rate), machine_.hbm.efficiency.turning));
}

// All of a chip's; but where it has fewer ranks than stacks, each rank stays with one. With LNC=1 two share
// one.
std::uint64_t MeshMachine::chip_stacks() const {
  return job_.ranks() == 1 ? machine_.hbm.stacks : std::min(machine_.hbm.stacks, seating_.ranks_per_chip());
}

// Inside its chip. The ranks of a stack sit side by side.
std::uint64_t MeshMachine::stack_of(std::size_t rank) const {
  return job_.ranks() == 1
             ? 0
             : job_.seat(rank) % seating_.ranks_per_chip() * chip_stacks() / seating_.ranks_per_chip();
}

// The chip's stacks from the rank's own on.
std::vector<RemoteStack> MeshMachine::remote_stacks(std::size_t r) const {
  const std::uint64_t stacks = chip_stacks();
  const std::uint64_t chip = job_.ranks() == 1 ? 0 : seating_.chip(r);
  const std::uint64_t own = stack_of(r);
  std::vector<RemoteStack> remote;
  for (std::uint32_t further = 1; further <= furthest_stack(job_.program(r)); ++further) {
    const std::uint64_t there = (own + further * stacks / machine_.hbm.stacks) % stacks;
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
  rank.stack = stacks_[(job_.ranks() == 1 ? 0 : seating_.chip(r)) * chip_stacks() + stack_of(r)];
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
  rank.evaluator = std::make_unique<CoreEvaluator>(program, machine_.core);
  rank.module = std::make_unique<CoreModule>(("rank" + std::to_string(r)).c_str(), *rank.evaluator,
                                             [this, r] { submit(r); });
}

void MeshMachine::add_groups() {
  for (const MeshAxis& axis : job_.mesh) {
    if (axis.size < 2) continue;
    for (const RankGroup& members : seating_.groups(axis.name)) {
      for (std::uint32_t stream = 0; stream < machine_.collectives.streams; ++stream) {
        for (std::size_t m = 0; m < members.ranks.size(); ++m)
          memberships_[members.ranks[m]][{axis.name, stream}] = {groups_.size(), m};
        Group& group = groups_.emplace_back();
        group.members = members;
        group.asked.resize(members.ranks.size());
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
  Group& group = groups_[g];
  if (group.busy ||
      std::any_of(group.asked.begin(), group.asked.end(), [](const auto& queue) { return queue.empty(); }))
    return;
  group.busy = true;
  Picoseconds latest = now();
  for (const auto& queue : group.asked) latest = std::max(latest, queue.front().issued);
  traffic_.start_timer(latest, actor_, g);
}

void MeshMachine::start(std::size_t g, Picoseconds now) {
  Group& group = groups_[g];
  const RankGroup& members = group.members;
  const CollectiveDecl& first = decl(members.ranks[0], group.asked[0].front());
  for (std::size_t m = 0; m < members.ranks.size(); ++m)
    TRN_CHECK(decl(members.ranks[m], group.asked[m].front()) == first,
              "the members of a group disagree on a collective");
  group.resources = std::make_unique<std::vector<FabricResources>>();
  if (members.inside_chip())
    for (const std::uint64_t rank : members.ranks)
      group.resources->push_back(chip_resources(members, rank, first.op));
  else
    group.resources->push_back(fabric_resources(members));
  group.open = group.resources->size();
  const Schedule schedule = group_schedule(first, members, machine_, topology_);
  for (const FabricResources& resources : *group.resources)
    group.runs.push_back(std::make_unique<CollectiveRun>(traffic_, topology_, resources, schedule,
                                                         collective_config(first, machine_),
                                                         [this, g](Picoseconds at) { run_done(g, at); }));
  for (const auto& run : group.runs) run->start(now);
}

// Ranks that share a stack add up: a flow names a resource once.
void MeshMachine::add_stack_use(std::vector<FlowUse>& uses, std::uint32_t stack, double share) const {
  const FlowUse more = collective_stack_use(stack, share, machine_.hbm);
  for (FlowUse& use : uses) {
    if (use.resource != stack) continue;
    use.coefficient += more.coefficient;
    use.payload += more.payload;
    return;
  }
  uses.push_back(more);
}

// A rank of a chip group: what it reads comes from the other ranks' stacks, what it writes goes to its own.
FabricResources MeshMachine::chip_resources(const RankGroup& group, std::size_t rank, CollectiveOp op) const {
  const double others = static_cast<double>(group.per_chip - 1);
  FabricResources r;
  r.hbm.emplace_back();
  // Per byte fetched: one read elsewhere; own touches: one write to gather, read and write of 1/R to reduce.
  // Divided by the schedule's touches, which multiply it again.
  const double own = op == CollectiveOp::kReduceScatter ? 2 / others : 1;
  const double touches = own + 1;
  for (const std::uint64_t peer : group.ranks)
    add_stack_use(r.hbm[0], ranks_[peer].stack, (peer == rank ? own : 1 / others) / touches);
  r.dma.push_back(ranks_[rank].engines);
  const double away = seating_.other_die_share(group, rank);
  if (away > 0) r.crossing = {{{dies_[2 * seating_.chip(rank) + seating_.die(rank)], away}}};
  return r;
}

// A chip of a group that reaches over all chips: its members do equal parts of what the chip does.
FabricResources MeshMachine::fabric_resources(const RankGroup& group) const {
  const double part = 1 / static_cast<double>(group.per_chip);
  FabricResources r;
  r.detail = FabricResources::Detail::kAll;
  r.links = links_;
  r.hbm.resize(seating_.chips());
  r.dma.resize(seating_.chips());
  if (seating_.has_dies()) r.crossing.resize(seating_.chips());
  for (const std::uint64_t rank : group.ranks) {
    const std::uint64_t chip = seating_.chip(rank);
    add_stack_use(r.hbm[chip], ranks_[rank].stack, part);
    for (const FlowUse& use : ranks_[rank].engines)
      r.dma[chip].push_back({use.resource, use.coefficient * part});
    const double away = seating_.other_die_share(group, rank);
    if (away > 0) r.crossing[chip].push_back({dies_[2 * chip + seating_.die(rank)], away * part});
  }
  return r;
}

void MeshMachine::run_done(std::size_t g, Picoseconds now) {
  Group& group = groups_[g];
  if (--group.open > 0) return;
  for (const std::uint64_t rank : group.members.ranks) ranks_[rank].last_traffic = now;
  for (std::size_t m = 0; m < group.members.ranks.size(); ++m) {
    const CollectiveRequest request = group.asked[m].front();
    group.asked[m].pop_front();
    if (request.semaphore == kNoSemaphore) continue;
    for (std::uint32_t core = 0; core < ranks_[group.members.ranks[m]].evaluator->core_count(); ++core)
      completions_.push_back(
          {group.members.ranks[m], {core, request.semaphore, request.increment, std::nullopt}});
  }
  for (auto& run : group.runs) finished_.push_back(std::move(run));
  group.runs.clear();
  group.busy = false;
  try_start(g);
}

void MeshMachine::deliver() {
  for (const TransferDone& done : queues_.completed()) {
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
