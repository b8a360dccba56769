#include "sim/run/simulation.h"

#include <algorithm>

#include "base/error.h"
#include "base/systemc/context.h"
#include "base/text.h"
#include "isa/rules.h"
#include "sim/machine/mesh_machine.h"
#include "sim/machine/rank_machine.h"
#include "sim/run/kernel_results.h"

namespace trn {
namespace {

void collect_engines(const CoreEvaluator& cores, const Program& program, RunResult& result) {
  for (std::uint32_t c = 0; c < cores.core_count(); ++c) {
    result.limiter_activations += cores.limiter_activations(c);
    result.tensor_waits.push_back(cores.tensor_waits(c));
    for (const EngineInfo& engine : kEngines) {
      const EngineStats& stats = cores.stats(c, engine.engine);
      result.engines.push_back({c, engine.engine, stats});
      result.instructions += stats.instructions;
      result.array_flops += stats.flops;
      for (std::size_t r = 0; r < stats.wait_by_region.size(); ++r)
        if (stats.wait_by_region[r].count() > 0)
          result.stalls.push_back({c, engine.engine, program.regions[r], stats.wait_by_region[r]});
    }
  }
  std::stable_sort(result.stalls.begin(), result.stalls.end(),
                   [](const Stall& a, const Stall& b) { return b.time < a.time; });
}

ResourceResult resource_result(const FlowEngine::ResourceReport& r, Picoseconds time) {
  const double run = static_cast<double>(time.count());
  return {r.name,
          ratio(r.units_moved, r.capacity * run),
          Picoseconds(static_cast<std::uint64_t>(r.bound_picoseconds)),
          ratio(static_cast<double>(r.binding.count()), run),
          0,
          0,
          0,
          0};
}

// The stack: what it moved, collectives included, of its peak; and what its bus lost to rows and to turning.
void add_stack_rate(const FlowEngine::ResourceReport& r, Picoseconds time, ResourceResult& stack) {
  const double whole = r.capacity * static_cast<double>(time.count());
  stack.achieved = ratio(r.payload, to_seconds(time));
  stack.peak = r.capacity * 1e12;
  stack.turning = ratio(r.turn_units, whole);
  stack.row_misses = ratio(r.units_moved - r.turn_units - r.payload, whole);
}

void add_engines_rate(Bytes moved, Picoseconds time, const DmaConfig& dma, ResourceResult& engines) {
  engines.achieved = ratio(static_cast<double>(moved.count()), to_seconds(time));
  engines.peak = 1e6 * static_cast<double>(dma.engine_rate.count() * dma.engines);
}

// Where its buses are simulated: whole bursts, in place of what was asked for.
void add_bus_rate(double busy, const DramConfig& dram, ResourceResult& stack) {
  stack.utilization = busy;
  stack.peak = 1e6 * static_cast<double>(dram.rate.count());
  stack.achieved = busy * stack.peak;
}

// A bus that has nothing to do, at the end of the run too, waits for requests.
HbmChannels channel_result(const ChannelMemory& stack, Picoseconds time) {
  const DramConfig& dram = stack.config();
  const ChannelStats stats = stack.stats();
  const double cycles = static_cast<double>(time.count()) /
                        static_cast<double>(dram.time_of(1'000'000).count()) * 1e6 *
                        static_cast<double>(dram.channels);
  HbmChannels result{stats.reads + stats.writes, stats.activations, stats.refreshes, 0, 0, {}};
  const auto bursts = static_cast<double>(result.bursts);
  result.row_hit_rate = 1 - ratio(static_cast<double>(stats.activations), bursts);
  result.busy = ratio(bursts * static_cast<double>(dram.t.burst), cycles);
  double requests = 1 - result.busy;
  for (std::size_t i = 0; i < stats.lost.size(); ++i) {
    result.lost[i] = ratio(static_cast<double>(stats.lost[i]), cycles);
    if (static_cast<DramLimit>(i) != DramLimit::kRequests) requests -= result.lost[i];
  }
  result.lost[static_cast<std::size_t>(DramLimit::kRequests)] = std::max(0.0, requests);
  return result;
}

// Every resource of a rank alone.
void collect_resources(const RankMachine& rank, const MachineConfig& machine, RunResult& result) {
  std::vector<FlowEngine::ResourceReport> rows = rank.traffic().flows().report();
  rank.queues().add_usage(rows);
  for (const FlowEngine::ResourceReport& r : rows)
    result.resources.push_back(resource_result(r, result.time));
  if (rank.channels() != nullptr) {
    result.channels = channel_result(*rank.channels(), result.time);
    add_bus_rate(result.channels->busy, rank.channels()->config(), result.resources[rank.stack()]);
  } else {
    add_stack_rate(rows[rank.stack()], result.time, result.resources[rank.stack()]);
  }
  for (const FlowUse& engines : rank.engines())
    add_engines_rate(rank.queues().moved(engines.resource), result.time, machine.core.dma,
                     result.resources[engines.resource]);
}

// The stack and engines of one rank of many.
void collect_resources(const MeshMachine& all, std::size_t rank, const MachineConfig& machine,
                       RunResult& result) {
  const std::vector<FlowEngine::ResourceReport> rows = all.traffic().flows().report();
  result.resources.push_back(resource_result(rows[all.stack(rank)], result.time));
  add_stack_rate(rows[all.stack(rank)], result.time, result.resources.back());
  for (const FlowUse& engines : all.engines(rank)) {
    result.resources.push_back(resource_result(rows[engines.resource], result.time));
    add_engines_rate(all.queues().moved(engines.resource), result.time, machine.core.dma,
                     result.resources.back());
  }
}

void collect_regions(const std::vector<TransferTimes>& regions, const Program& program, const DmaConfig& dma,
                     RunResult& result) {
  for (std::size_t r = 0; r < regions.size(); ++r) {
    const TransferTimes& times = regions[r];
    if (times.transfers > 0)
      result.transfer_regions.push_back(
          {program.regions[r], times, way_out(times.main_reason(), times, dma)});
  }
  std::stable_sort(result.transfer_regions.begin(), result.transfer_regions.end(),
                   [](const TransferRegion& a, const TransferRegion& b) {
                     return b.times.total_lost() < a.times.total_lost();
                   });
}

void collect_traffic(const RankMachine& machine, RunResult& result) {
  const TransferQueues::Totals& totals = machine.queues().totals();
  result.transfers = totals.transfers;
  result.dma_bytes = totals.bytes;
  result.hbm_read = totals.hbm_read;
  result.hbm_write = totals.hbm_write;
  result.fetched = totals.fetched;
  result.dma_active = totals.active;
  // Packets are no flows.
  result.moving = std::max(machine.traffic().flows().active_time(), totals.active);
  result.descriptors_only = totals.descriptors_only;
  result.time = std::max({machine.cores().finish(), totals.last, machine.last_collective()});
  for (const auto& [key, t] : machine.collectives())
    result.collectives.push_back({key.first,
                                  std::string(kCollectiveOps[static_cast<std::size_t>(key.second)]), t.count,
                                  t.bytes, t.time});
}

void check(const Job& job, const MachineConfig& machine) {
  for (const Program& program : job.programs) check_program(program, isa_limits(machine));
  check_job(job, machine.collectives.streams);
}

void check_alone(const Job& job, const MachineConfig& machine) {
  if (machine.hbm.model == HbmModel::kBandwidth) return;
  bool collectives = false;
  for (const Program& program : job.programs) collectives = collectives || !program.collectives.empty();
  if (collectives || job.ranks() > 1)
    throw UsageError(
        "--hbm channel simulates every burst of one rank alone; collectives and meshes are simulated with "
        "--hbm bandwidth");
}

}  // namespace

std::string why_not_folded(const Job& job, const MachineConfig& machine) {
  if (!job.one_program()) return "its ranks run several programs";
  if (job.ranks() == 1) return {};
  const Seating seating(job, machine);
  const Topology topology(machine.fabric);
  for (const MeshAxis& axis : job.mesh) {
    if (axis.size < 2) continue;
    const std::string why = seating.why_not_alike(axis.name, topology);
    if (!why.empty()) return why;
  }
  return {};
}

RunResult run_program(const Program& program, const MachineConfig& machine, ExecutionObserver* observer,
                      RunListener* listener) {
  return run_folded(uniform_job(program), machine, observer, listener);
}

RunResult run_folded(const Job& job, const MachineConfig& machine, ExecutionObserver* observer,
                     RunListener* listener) {
  check_alone(job, machine);
  check(job, machine);
  const std::string why = why_not_folded(job, machine);
  if (!why.empty())
    throw ProgramError("job: one rank cannot stand for all: " + why + "; --detail full simulates all");
  const Program& program = job.programs[0];
  if (listener != nullptr) listener->begin(job, machine, Simulated::kOneRank);
  const ScopedContext context;
  const RankMachine rank(job, machine, observer, listener);
  run_to_quiescence();
  if (!rank.cores().fault().empty()) throw ProgramError(program.name + ": " + rank.cores().fault());
  if (!rank.cores().done())
    throw DeadlockError(program.name + ": deadlock at " + with_commas(rank.cores().finish().count()) +
                        " ps; " + join(rank.cores().blocked(), "; "));
  TRN_CHECK(rank.collectives_done(), "a collective did not finish");
  if (listener != nullptr) listener->end();
  RunResult result;
  result.program = program.name;
  result.model_flops = program.model_flops;
  collect_engines(rank.cores(), program, result);
  collect_traffic(rank, result);
  collect_resources(rank, machine, result);
  collect_regions(rank.queues().regions(0), program, machine.core.dma, result);
  collect_kernels(rank.cores().regions(), rank.queues().regions(0), program, machine.core.tensor, result);
  return result;
}

JobResult run_every_rank(const Job& job, const MachineConfig& machine, RunListener* listener) {
  if (machine.hbm.model != HbmModel::kBandwidth)
    throw UsageError(
        "--hbm channel simulates one rank alone; jobs of several programs, and --detail full, are "
        "simulated with --hbm bandwidth");
  check(job, machine);
  if (listener != nullptr) listener->begin(job, machine, Simulated::kEveryRank);
  const ScopedContext context;
  const MeshMachine all(job, machine, listener);
  run_to_quiescence();
  for (std::uint64_t rank = 0; rank < job.ranks(); ++rank)
    if (!all.cores(rank).fault().empty())
      throw ProgramError(job.program(rank).name + ": rank " + std::to_string(rank) + ": " +
                         all.cores(rank).fault());
  if (!all.done()) throw DeadlockError("job: deadlock; " + join(all.blocked(), "; "));
  if (listener != nullptr) listener->end();
  JobResult result;
  for (std::uint64_t rank = 0; rank < job.ranks(); ++rank) {
    result.finish.push_back(all.finish(rank));
    if (result.finish[rank] > result.finish[result.slowest]) result.slowest = rank;
  }
  result.time = result.finish[result.slowest];
  const Program& program = job.program(result.slowest);
  result.slowest_cores.program = program.name;
  result.slowest_cores.time = result.time;
  result.slowest_cores.moving = all.traffic().flows().active_time();  // anywhere
  collect_engines(all.cores(result.slowest), program, result.slowest_cores);
  collect_resources(all, result.slowest, machine, result.slowest_cores);
  collect_regions(all.queues().regions(result.slowest), program, machine.core.dma, result.slowest_cores);
  collect_kernels(all.cores(result.slowest).regions(), all.queues().regions(result.slowest), program,
                  machine.core.tensor, result.slowest_cores);
  return result;
}

}  // namespace trn
