#include "tests/support/random_scenes.h"

#include <algorithm>

#include "base/error.h"

namespace trn {

// The standard library's distributions differ between systems; this does not.
std::uint64_t SceneGenerator::pick(std::uint64_t from, std::uint64_t to) {
  return from + random_() % (to - from + 1);
}

FabricConfig SceneGenerator::torus() {
  FabricConfig f;
  f.kind = FabricKind::kTorus;
  const std::uint64_t axes = pick(1, 3);
  const std::uint64_t most[] = {12, 5, 3};
  for (std::uint64_t d = 0; d < axes; ++d) {
    f.dims.push_back(pick(1, most[axes - 1]));
    f.link_rates.push_back(rate());
    f.closed.push_back(!one_in(4));
  }
  if (f.chips() == 1) f.dims[0] = pick(2, 6);
  f.hop_latency = latency();
  if (axes > 1 && f.dims[0] > 1 && f.dims[1] > 2 && one_in(3)) {
    f.closed.clear();
    f.twist = Twist{0, 1, pick(1, f.dims[1] - 1)};
  }
  return f;
}

FabricConfig SceneGenerator::switched() {
  FabricConfig f;
  f.kind = FabricKind::kSwitched;
  f.racks = pick(1, 2);
  f.planes = std::uint64_t{1} << pick(0, 2);
  f.chips_per_tray = f.planes * (f.planes == 4 ? 1 : pick(1, 2));
  f.trays_per_rack = pick(1, 3);
  if (f.chips() == 1) f.trays_per_rack = 3;
  f.tray_rate = rate();
  f.rack_rate = rate();
  f.cross_rack_rate = rate();
  f.hop_latency = latency();
  if (one_in(2))
    f.routing = f.racks == 2 ? static_cast<Routing>(pick(0, 4)) : static_cast<Routing>(pick(0, 1));
  return f;
}

FabricConfig SceneGenerator::graph() {
  FabricConfig f;
  f.kind = FabricKind::kGraph;
  f.graph_chips = pick(2, 12);
  const std::uint64_t switches = one_in(2) ? pick(1, 3) : 0;
  for (std::uint64_t s = 0; s < switches; ++s) f.graph_switches.push_back("s" + std::to_string(s));
  const auto vertices = static_cast<std::uint32_t>(f.graph_chips + switches);
  const auto cable = [&](std::uint64_t from, std::uint64_t to, bool both) {
    f.graph_cables.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), rate(),
                              latency(), one_in(5) ? 2U : 1U, both});
  };
  for (std::uint32_t v = 1; v < vertices; ++v) cable(pick(0, v - 1), v, true);
  for (std::uint64_t extra = pick(0, vertices); extra > 0; --extra) {
    const std::uint64_t from = pick(0, vertices - 1), to = pick(0, vertices - 1);
    if (from != to) cable(from, to, !one_in(3));
  }
  return f;
}

FabricConfig SceneGenerator::fabric() {
  FabricConfig f;
  switch (pick(0, 8)) {
    case 0:
    case 1:
    case 2:
      return torus();
    case 3:
      f.kind = FabricKind::kSwitch;
      f.ports = pick(2, 24);
      break;
    case 4:
      f.kind = FabricKind::kFullyConnected;
      f.ports = pick(2, 10);
      break;
    case 5:
      f.kind = FabricKind::kFatTree;
      f.leaves = pick(2, 4);
      f.chips_per_leaf = pick(1, 4);
      f.spines = pick(1, 4);
      break;
    case 6:
      return switched();
    default:
      return graph();
  }
  f.port_rate = rate();
  f.uplink_rate = rate();
  f.hop_latency = latency();
  return f;
}

// Where the machine stays in one piece.
void SceneGenerator::break_a_link(FabricConfig& config) {
  const FabricConfig whole = config;
  const Topology topology(config);
  const Link& link = topology.links()[pick(0, topology.links().size() - 1)];
  config.faults.push_back(
      {topology.vertex_name(link.from) + (one_in(2) ? "-" : ">") + topology.vertex_name(link.to),
       one_in(2) ? 0 : pick(1, 99)});
  try {
    const Topology broken(config);
  } catch (const ConfigError&) {
    config = whole;
  }
}

void SceneGenerator::change_rates(MachineConfig& machine) {
  const std::uint64_t hbm = pick(0, 2);
  if (hbm == 1) machine.hbm.stack_rate = MegabytesPerSecond(1'000'000'000);
  if (hbm == 2) machine.hbm.stack_rate = MegabytesPerSecond(pick(10'000, 100'000));
  if (one_in(2))
    machine.core.dma.engine_rate = MegabytesPerSecond(one_in(2) ? 1'000'000'000 : pick(200, 2000));
  machine.core.dma.accumulate_slowdown = pick(1, 2);
  machine.efa.rate = rate();
  machine.efa.latency = latency();
  machine.efa.nic_rate =
      machine.efa.rate * (1 + machine.efa.rate.count() % 3);  // a card may do more than its part
  CollectiveConfig& c = machine.collectives;
  if (one_in(2)) c.step_latency = latency();
  if (one_in(2)) c.start_latency = latency();
  if (one_in(2)) c.trigger = Picoseconds(pick(0, 100'000));
  c.slices = pick(1, 4);
  c.ring_slices = pick(1, 3);
  c.min_slice_bytes = pick(1, 1 << 20);
  c.streams = pick(1, 4);
}

Group SceneGenerator::group(std::uint32_t chips) {
  const auto lanes = static_cast<std::uint32_t>(chips > 12 ? pick(1, 2) : pick(1, 4));
  if (one_in(3)) return Group::whole(chips, lanes, domains_);
  std::vector<Seat> seats;
  for (std::uint32_t d = 0; d < domains_; ++d)
    for (std::uint32_t c = 0; c < chips; ++c)
      for (std::uint32_t l = 0; l < lanes; ++l) seats.push_back({d, c, l});
  const bool same_lanes = one_in(2);
  if (same_lanes) {  // chips left out, in a random order, but the same on each
    std::vector<std::uint32_t> order;
    for (std::uint32_t c = 0; c < chips; ++c) order.push_back(c);
    shuffle(order);
    order.resize(pick(1, chips));
    seats.clear();
    for (std::uint32_t d = 0; d < domains_; ++d)
      for (const std::uint32_t c : order)
        for (std::uint32_t l = 0; l < lanes; ++l) seats.push_back({d, c, l});
    if (seats.size() > 1) return Group::of(std::move(seats));
    return Group::whole(chips, lanes, domains_);
  }
  shuffle(seats);
  if (seats.size() > 2) seats.resize(pick(2, seats.size()));
  return Group::of(std::move(seats));
}

CollectiveTask SceneGenerator::task(std::uint32_t ranks) {
  CollectiveTask task;
  task.op = static_cast<CollectiveOp>(pick(0, 10));
  const std::uint64_t size = std::uint64_t{1} << pick(0, 30);
  task.bytes = one_in(2) ? size : pick(1, size);
  task.granule = std::uint64_t{1} << pick(0, 2);
  task.root = static_cast<std::uint32_t>(pick(0, ranks - 1));
  task.shift = static_cast<std::int64_t>(pick(1, ranks - 1));
  if (task.op == CollectiveOp::kBarrier) task.bytes = 0;
  const bool by_rank = task.op == CollectiveOp::kAllGather || task.op == CollectiveOp::kReduceScatter ||
                       task.op == CollectiveOp::kGather || task.op == CollectiveOp::kScatter;
  if ((by_rank || task.op == CollectiveOp::kAllToAll) && one_in(5)) {
    task.bytes = 0;
    for (std::uint64_t i = 0; i < (by_rank ? ranks : std::uint64_t{ranks} * ranks); ++i) {
      task.sizes.push_back(pick(0, size / ranks));
      task.bytes += task.sizes.back();
    }
  }
  return task;
}

RandomScene SceneGenerator::next() {
  static const std::vector<MachineConfig> kMachines{machine_named("trn2"), machine_named("trn3")};
  RandomScene scene;
  scene.machine = kMachines[pick(0, 1)];
  scene.machine.fabric = fabric();
  if (one_in(4)) break_a_link(scene.machine.fabric);
  change_rates(scene.machine);
  const auto chips = static_cast<std::uint32_t>(scene.machine.fabric.chips());
  domains_ = chips <= 8 && one_in(6) ? 2 : 1;
  scene.group = group(chips);
  const std::uint32_t ranks = scene.group.ranks();
  scene.task = task(ranks);
  if (one_in(8))
    for (std::uint32_t r = 0; r < ranks; ++r) scene.delay.push_back(Picoseconds(pick(0, 3'000'000)));
  scene.what = std::string(kCollectiveOps[static_cast<std::size_t>(scene.task.op)]) + " of " +
               std::to_string(scene.task.bytes) + " B, " + std::to_string(ranks) + " ranks on " +
               std::to_string(chips) + " chips, kind " +
               std::to_string(static_cast<int>(scene.machine.fabric.kind)) + ", " + std::to_string(domains_) +
               " domains" + (scene.task.sizes.empty() ? "" : ", uneven") +
               (scene.machine.fabric.faults.empty() ? "" : ", fault " + scene.machine.fabric.faults[0].link);
  return scene;
}

}  // namespace trn
