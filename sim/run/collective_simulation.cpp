#include "sim/run/collective_simulation.h"

#include <algorithm>

#include "base/error.h"
#include "base/systemc/context.h"
#include "models/interconnect/traffic/traffic_module.h"

namespace trn {
namespace {

void find_binding(const FlowEngine& flows, CollectiveResult& result) {
  double longest = 0;
  for (const FlowEngine::ResourceReport& r : flows.report()) {
    const double used = r.units_moved / (r.capacity * static_cast<double>(result.time.count()));
    result.binding_share = std::max(result.binding_share, used);
    if (r.bound_picoseconds <= longest) continue;
    longest = r.bound_picoseconds;
    result.binding = r.name;
  }
  if (result.binding_share < 0.5) result.binding = "latency";  // no resource is busy for half of the time
}

}  // namespace

CollectiveResult run_collective(CollectiveShape shape, const MachineConfig& machine,
                                FabricResources::Detail detail) {
  shape.slices = machine.collectives.slices;
  shape.min_slice_bytes = machine.collectives.min_slice_bytes;
  shape.reduce_slowdown = machine.core.dma.accumulate_slowdown;
  const Topology topology(machine.fabric);
  const ScopedContext context;
  Traffic traffic;
  const FabricResources resources = FabricResources::make(traffic.flows(), topology, machine, detail);
  CollectiveResult result;
  bool done = false;
  CollectiveRun run(traffic, topology, resources, make_schedule(shape, topology), machine.collectives,
                    [&](Picoseconds now) {
                      result.time = now;
                      done = true;
                    });
  TrafficModule module("traffic", traffic, [] {});
  run.start(Picoseconds(0));
  module.reschedule();
  run_to_quiescence();
  TRN_CHECK(done, "a collective did not finish");
  const double hbm = machine.hbm.collective_stack_rate() * static_cast<double>(machine.hbm.stacks);
  const double dma = bytes_per_picosecond(machine.core.dma.engine_rate) *
                     static_cast<double>(machine.core.dma.engines * machine.chip.neuron_cores);
  result.bound = collective_bound(shape, topology, {hbm, dma});
  find_binding(traffic.flows(), result);
  return result;
}

}  // namespace trn
