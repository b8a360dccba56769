#include "sim/machine/mesh_machine.h"

#include <algorithm>

#include "base/error.h"

namespace trn {

MeshMachine::MeshMachine(const Program& program, const MachineConfig& machine, Mesh mesh)
    : program_(program),
      machine_(machine),
      mesh_(mesh),
      topology_(machine.fabric),
      queues_(traffic_, machine.core.dma) {
  FlowEngine& flows = traffic_.flows();
  for (const LinkClass& c : topology_.classes())
    for (std::uint64_t chip = 0; chip < mesh.chips; ++chip)
      links_.push_back(flows.add_resource("link " + c.name, c.rate));
  if (mesh.ranks_per_chip > 2)
    for (std::uint64_t die = 0; die < 2 * mesh.chips; ++die)
      dies_.push_back(flows.add_resource("die-to-die", bytes_per_picosecond(machine.die_to_die)));
  traffic_module_ = std::make_unique<TrafficModule>("traffic", traffic_, [this] { deliver(); });
  add_ranks(program);
  add_groups();
}

void MeshMachine::add_ranks(const Program& program) {
  FlowEngine& flows = traffic_.flows();
  ranks_.resize(mesh_.chips * mesh_.ranks_per_chip);
  const double engine_time = 1 / (bytes_per_picosecond(machine_.core.dma.engine_rate) *
                                  static_cast<double>(machine_.core.dma.engines * program.cores.size()));
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    Rank& rank = ranks_[r];
    rank.stack = flows.add_resource("HBM stack", bytes_per_picosecond(machine_.hbm.achievable_stack_rate()));
    for (std::size_t c = 0; c < program.cores.size(); ++c) {
      const std::uint32_t engines = flows.add_resource("DMA engines", 1.0);
      rank.engines.push_back({engines, engine_time});
      std::vector<std::uint32_t>& numbers = rank.queues.emplace_back();
      for (const QueueDecl& queue : program.queues)
        numbers.push_back(queues_.add_queue({engines, rank.stack}, queue.priority));
    }
    rank.evaluator = std::make_unique<CoreEvaluator>(program, machine_.core);
    rank.module = std::make_unique<CoreModule>(("rank" + std::to_string(r)).c_str(), *rank.evaluator,
                                               [this, r] { submit(r); });
  }
}

void MeshMachine::add_groups() {
  const std::uint64_t streams = machine_.collectives.streams;
  groups_.resize(streams * (mesh_.chips + mesh_.ranks_per_chip));
  for (std::uint64_t stream = 0; stream < streams; ++stream) {
    for (std::uint64_t chip = 0; chip < mesh_.chips; ++chip)
      for (std::uint64_t local = 0; local < mesh_.ranks_per_chip; ++local) {
        groups_[stream * mesh_.chips + chip].ranks.push_back(rank_of(chip, local));
        groups_[streams * mesh_.chips + stream * mesh_.ranks_per_chip + local].ranks.push_back(
            rank_of(chip, local));
      }
  }
  for (Group& group : groups_) group.asked.resize(group.ranks.size());
}

std::size_t MeshMachine::group_of(std::size_t rank, const CollectiveDecl& decl) const {
  if (decl.axis == "tp") return decl.stream * mesh_.chips + rank / mesh_.ranks_per_chip;
  return machine_.collectives.streams * mesh_.chips + decl.stream * mesh_.ranks_per_chip +
         rank % mesh_.ranks_per_chip;
}

void MeshMachine::submit(std::size_t r) {
  Rank& rank = ranks_[r];
  for (const TransferRequest& request : rank.evaluator->transfers())
    queues_.submit(rank.queues[request.core][request.queue], static_cast<std::uint32_t>(r), request);
  for (const CollectiveRequest& request : rank.evaluator->collectives()) {
    const std::size_t g = group_of(r, program_.collectives[request.collective]);
    Group& group = groups_[g];
    const auto member = std::find(group.ranks.begin(), group.ranks.end(), r) - group.ranks.begin();
    group.asked[static_cast<std::size_t>(member)].push_back(request);
    try_start(g);
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
  const CollectiveDecl& decl = program_.collectives[group.asked[0].front().collective];
  for (const auto& queue : group.asked)
    TRN_CHECK(queue.front().collective == group.asked[0].front().collective,
              "the members of a group disagree on a collective");
  const std::uint64_t slowdown = machine_.core.dma.accumulate_slowdown;
  CollectiveConfig config = machine_.collectives;
  Schedule schedule;
  group.resources = std::make_unique<std::vector<FabricResources>>();
  if (decl.axis == "tp") {
    schedule = make_chip_schedule(decl.op, decl.bytes, mesh_.ranks_per_chip, slowdown);
    for (const std::size_t rank : group.ranks) group.resources->push_back(chip_resources(rank, decl.op));
  } else {
    CollectiveShape shape;
    shape.op = decl.op;
    shape.bytes = decl.bytes;
    shape.slices = config.slices;
    shape.min_slice_bytes = config.min_slice_bytes;
    shape.reduce_slowdown = slowdown;
    config.packet = config.data_packet;
    schedule = make_schedule(shape, topology_);
    group.resources->push_back(fabric_resources(group.ranks[0] % mesh_.ranks_per_chip));
  }
  group.open = group.resources->size();
  for (const FabricResources& resources : *group.resources)
    group.runs.push_back(std::make_unique<CollectiveRun>(traffic_, topology_, resources, schedule, config,
                                                         [this, g](Picoseconds at) { run_done(g, at); }));
  for (const auto& run : group.runs) run->start(now);
}

// A rank of a chip group: what it reads comes from the other ranks' stacks, what it writes goes to its own.
FabricResources MeshMachine::chip_resources(std::size_t rank, CollectiveOp op) const {
  const std::uint64_t chip = rank / mesh_.ranks_per_chip;
  const double others = static_cast<double>(mesh_.ranks_per_chip - 1);
  FabricResources r;
  r.hbm.emplace_back();
  // Per byte fetched: one read elsewhere; own touches: one write to gather, read and write of 1/R to reduce.
  // Divided by the schedule's touches, which multiply it again.
  const double own = op == CollectiveOp::kReduceScatter ? 2 / others : 1;
  const double touches = own + 1;
  for (std::uint64_t local = 0; local < mesh_.ranks_per_chip; ++local) {
    const std::size_t peer = rank_of(chip, local);
    r.hbm[0].push_back({ranks_[peer].stack, (peer == rank ? own : 1 / others) / touches});
  }
  r.dma.push_back(ranks_[rank].engines);
  if (!dies_.empty()) {
    const std::uint64_t die = rank % mesh_.ranks_per_chip < mesh_.ranks_per_chip / 2 ? 0 : 1;
    r.crossing = {{dies_[2 * chip + die], static_cast<double>(mesh_.ranks_per_chip) / 2 / others}};
  }
  return r;
}

FabricResources MeshMachine::fabric_resources(std::uint64_t local) const {
  FabricResources r;
  r.detail = FabricResources::Detail::kAll;
  r.links = links_;
  for (std::uint64_t chip = 0; chip < mesh_.chips; ++chip) {
    r.hbm.push_back({{ranks_[rank_of(chip, local)].stack, 1.0}});
    r.dma.push_back(ranks_[rank_of(chip, local)].engines);
  }
  return r;
}

void MeshMachine::run_done(std::size_t g, Picoseconds) {
  Group& group = groups_[g];
  if (--group.open > 0) return;
  for (std::size_t m = 0; m < group.ranks.size(); ++m) {
    const CollectiveRequest request = group.asked[m].front();
    group.asked[m].pop_front();
    if (request.semaphore == kNoSemaphore) continue;
    for (std::uint32_t core = 0; core < ranks_[group.ranks[m]].evaluator->core_count(); ++core)
      completions_.push_back({group.ranks[m], {core, request.semaphore, request.increment, std::nullopt}});
  }
  for (auto& run : group.runs) finished_.push_back(std::move(run));
  group.runs.clear();
  group.busy = false;
  try_start(g);
}

void MeshMachine::deliver() {
  for (const TransferDone& done : queues_.completed()) ranks_[done.owner].module->complete(done.completion);
  queues_.completed().clear();
  for (const auto& [rank, completion] : completions_) ranks_[rank].module->complete(completion);
  completions_.clear();
  finished_.clear();
}

Picoseconds MeshMachine::finish() const {
  Picoseconds last = queues_.totals().last;
  for (const Rank& rank : ranks_) last = std::max(last, rank.evaluator->finish());
  return last;
}

bool MeshMachine::done() const {
  return std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.evaluator->done(); });
}

std::vector<std::string> MeshMachine::blocked() const {
  for (const Rank& rank : ranks_)
    if (!rank.evaluator->done()) return rank.evaluator->blocked();
  return {};
}

}  // namespace trn
