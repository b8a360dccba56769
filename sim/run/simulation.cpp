#include "sim/run/simulation.h"

#include <algorithm>

#include "base/error.h"
#include "base/systemc/context.h"
#include "base/text.h"
#include "isa/rules.h"
#include "sim/machine/mesh_machine.h"
#include "sim/machine/rank_machine.h"

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

void collect_traffic(const RankMachine& machine, RunResult& result) {
  const DmaQueues::Totals& totals = machine.queues().totals();
  result.transfers = totals.transfers;
  result.dma_bytes = totals.bytes;
  result.hbm_read = totals.hbm_read;
  result.hbm_write = totals.hbm_write;
  result.dma_active = totals.active;
  result.time = std::max({machine.cores().finish(), totals.last, machine.last_collective()});
  for (const auto& [key, t] : machine.collectives())
    result.collectives.push_back({key.first,
                                  std::string(kCollectiveOps[static_cast<std::size_t>(key.second)]), t.count,
                                  t.bytes, t.time});
  for (const FlowEngine::ResourceReport& r : machine.traffic().flows().report())
    result.resources.push_back({r.name,
                                ratio(r.units_moved, r.capacity * static_cast<double>(result.time.count())),
                                Picoseconds(static_cast<std::uint64_t>(r.bound_picoseconds))});
}

// A collective must have a group: checked before time starts.
void check_collectives(const Program& program, const MachineConfig& machine, const Mesh& mesh) {
  for (const CollectiveDecl& decl : program.collectives) {
    const std::string where = program.name + ": collective over axis " + decl.axis + ": ";
    if (decl.axis != "tp" && decl.axis != "fsdp") throw ProgramError(where + "unknown axis; known: tp, fsdp");
    if ((decl.axis == "tp" ? mesh.ranks_per_chip : mesh.chips) < 2)
      throw ProgramError(where +
                         "the axis has one rank here; COLL needs a mesh, and a program run alone has none");
    if (decl.stream >= machine.collectives.streams)
      throw ProgramError(where + "stream " + std::to_string(decl.stream) + " of " +
                         std::to_string(machine.collectives.streams));
  }
}

}  // namespace

RunResult run_program(const Program& program, const MachineConfig& machine, Mesh mesh) {
  check_program(program, isa_limits(machine));
  check_collectives(program, machine, mesh);
  const ScopedContext context;
  const RankMachine rank(program, machine, mesh);
  run_to_quiescence();
  if (!rank.cores().done())
    throw DeadlockError(program.name + ": deadlock at " + with_commas(rank.cores().finish().count()) +
                        " ps; " + join(rank.cores().blocked(), "; "));
  TRN_CHECK(rank.collectives_done(), "a collective did not finish");
  RunResult result;
  result.program = program.name;
  result.model_flops = program.model_flops;
  collect_engines(rank.cores(), program, result);
  collect_traffic(rank, result);
  return result;
}

Picoseconds run_every_rank(const Program& program, const MachineConfig& machine, Mesh mesh) {
  check_program(program, isa_limits(machine));
  check_collectives(program, machine, mesh);
  const ScopedContext context;
  const MeshMachine all(program, machine, mesh);
  run_to_quiescence();
  if (!all.done()) throw DeadlockError(program.name + ": deadlock; " + join(all.blocked(), "; "));
  return all.finish();
}

}  // namespace trn
