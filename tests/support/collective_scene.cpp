#include "tests/support/collective_scene.h"

#include <algorithm>

namespace trn {

MachineConfig machine_named(const std::string& name, const std::vector<std::string>& sets) {
  const MachineName parsed = parse_machine_name(name);
  ConfigDocument document = load_machine_document(parsed.config);
  for (const std::string& set : sets) document.set(set);
  return parse_machine(document, parsed.shape);
}

void leave_links_only(MachineConfig& machine) {
  machine.hbm.stack_rate = MegabytesPerSecond(1'000'000'000'000'000'000);
  machine.core.dma.engine_rate = MegabytesPerSecond(1'000'000'000'000'000'000);
  machine.collectives.step_latency = machine.collectives.start_latency = machine.collectives.trigger =
      Picoseconds(0);
}

Scene::Scene(MachineConfig machine, Group group)
    : machine_(std::move(machine)),
      topology_(machine_.fabric),
      routes_(topology_),
      group_(std::move(group)) {}

std::uint32_t Scene::lanes() const {
  std::uint32_t lanes = 0;
  for (std::uint32_t rank = 0; rank < group_.ranks(); ++rank)
    lanes = std::max(lanes, group_.seat(rank).lane + 1);
  return lanes;
}

CollectiveTask Scene::sliced(CollectiveTask task) const {
  task.slices = machine_.collectives.slices;
  task.min_slice_bytes = machine_.collectives.min_slice_bytes;
  task.ring_slices = machine_.collectives.ring_slices;
  return task;
}

std::vector<std::string> Scene::algorithms(const CollectiveTask& task) const {
  std::vector<std::string> names;
  const GroupShape group_shape = shape();
  for (const std::string& name : algorithm_names(task, group_shape))
    if (algorithm_refusal(name, task, group_shape).empty()) names.push_back(name);
  return names;
}

Schedule Scene::schedule(const CollectiveTask& task, const std::string& algorithm) const {
  return make_schedule(algorithm, sliced(task), shape());
}

Outcome Scene::run(const Schedule& schedule, const Movement& movement) const {
  Traffic traffic(movement.mover ? movement.mover() : std::make_unique<FlowEngine>());
  Outcome outcome;
  outcome.resources = stand_alone_resources(traffic.mover(), group_, topology_, machine_, movement.detail);
  const MovePaths paths(group_, topology_, routes_, outcome.resources, machine_);
  CollectiveStart start;
  start.config = machine_.collectives;
  start.priority = movement.priority;
  start.delay = movement.delay;
  const std::uint64_t cores = machine_.chip.cc_cores / outcome.resources.lanes / machine_.collectives.streams;
  start.trigger = Picoseconds(machine_.collectives.trigger.count() / std::max<std::uint64_t>(1, cores));
  bool done = false;
  CollectiveRun run(traffic, paths, outcome.resources, std::make_shared<const Schedule>(schedule), start,
                    [&](Picoseconds now) {
                      outcome.time = now;
                      done = true;
                    });
  std::shared_ptr<TrafficActor> beside;
  if (movement.beside) beside = movement.beside(traffic, outcome.resources);
  run.start(Picoseconds(0));
  Picoseconds now;
  while (!done) {
    const std::optional<Picoseconds> next = traffic.next_event(now);
    if (!next) break;
    now = *next;
    traffic.advance(now);
  }
  if (!done) outcome.time = Picoseconds::max();  // hangs: no test takes that for an answer
  if (!movement.mover) outcome.report = traffic.flows().report();
  return outcome;
}

CollectiveBound Scene::bound(const CollectiveTask& task) const {
  return collective_bound(task, group_, topology_, rank_rates(machine_, lanes()));
}

}  // namespace trn
