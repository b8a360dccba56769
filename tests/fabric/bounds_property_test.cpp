// On random machines, for random groups, every operation and every algorithm: nothing beats physics, and
// every resource moves exactly the bytes that the schedule's moves take of it.
#include <gtest/gtest.h>

#include "tests/support/random_scenes.h"

namespace trn {
namespace {

// What every resource has to move, from the schedule alone: memory for each read and write, links by the
// shares of the route between two chips, EFA out of one and into the other, and the engines of the rank that
// executes.
std::vector<double> units_of(const Scene& scene, const Schedule& schedule,
                             const CollectiveResources& resources, std::size_t count) {
  std::vector<double> units(count);
  const std::size_t links = scene.topology().links().size();
  const double slowdown = static_cast<double>(scene.machine().core.dma.accumulate_slowdown);
  const auto travel = [&](std::uint32_t from, std::uint32_t to, double bytes) {
    const Seat a = scene.group().seat(from), b = scene.group().seat(to);
    if (a.domain != b.domain) {
      units[resources.efa_out[a.domain * scene.topology().chips() + a.chip]] += bytes;
      units[resources.efa_in[b.domain * scene.topology().chips() + b.chip]] += bytes;
      if (!resources.network_out.empty()) {
        units[resources.network_out[a.domain]] += bytes;
        units[resources.network_in[b.domain]] += bytes;
      }
      return;
    }
    double shares = 0;
    for (const LinkLoad& load : scene.routes().between(a.chip, b.chip).loads) {
      units[resources.links[a.domain * links + load.link]] += bytes * load.share;
      if (scene.topology().links()[load.link].from == a.chip) shares += load.share;
    }
    EXPECT_NEAR(shares, a.chip == b.chip ? 0 : 1, 1e-12);  // all of it leaves the sender
  };
  for (const Step& step : schedule.steps)
    for (std::uint32_t rank = 0; rank < schedule.ranks; ++rank) {
      if (!step.executors.empty() &&
          std::find(step.executors.begin(), step.executors.end(), rank) == step.executors.end())
        continue;
      const double bytes = static_cast<double>(schedule.bytes(step, rank));
      for (const Piece& piece : step.sources) {
        const std::uint32_t source = schedule.resolve(piece.at, rank);
        units[resources.memory[source][0].resource] += bytes;
        travel(source, rank, bytes);
      }
      for (const Piece& piece : step.destinations) {
        const std::uint32_t destination = schedule.resolve(piece.at, rank);
        units[resources.memory[destination][0].resource] += bytes;
        travel(rank, destination, bytes);
      }
      const double sources = static_cast<double>(step.sources.size());
      const double reads = sources < 2 ? sources : sources * slowdown / 2;
      units[resources.engines[rank][0].resource] +=
          bytes * std::max(reads, static_cast<double>(step.destinations.size()));
    }
  return units;
}

class RandomCollectives : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomCollectives, NeverBeatPhysicsAndMoveEveryByteOnce) {
  SceneGenerator generator(GetParam());
  std::uint64_t cases = 0;
  for (int i = 0; i < 100; ++i) {
    const RandomScene random = generator.next();
    const Scene scene(random.machine, random.group);
    for (const std::string& algorithm : scene.algorithms(random.task)) {
      const std::string what = "seed " + std::to_string(GetParam()) + " scene " + std::to_string(i) + ": " +
                               algorithm + ", " + random.what;
      const Schedule schedule = scene.schedule(random.task, algorithm);
      if (schedule.steps.size() * schedule.ranks > 6000) continue;  // takes too long here
      ++cases;
      Movement movement;
      movement.delay = random.delay;
      const Outcome outcome = scene.run(schedule, movement);
      ASSERT_LT(outcome.time, Picoseconds::max()) << what << " hangs";
      const double time = static_cast<double>(outcome.time.count());

      const CollectiveBound bound = scene.bound(random.task);
      EXPECT_GE(time + 1, bound.picoseconds) << what << " beats " << bound.limited_by;

      const std::vector<double> units = units_of(scene, schedule, outcome.resources, outcome.report.size());
      for (std::size_t r = 0; r < units.size(); ++r) {
        const ResourceReport& report = outcome.report[r];
        EXPECT_GE(time + 1, units[r] / report.capacity) << what << ": more than " << report.name << " can";
        EXPECT_NEAR(report.units_moved, units[r], 1e-9 * units[r] + 1e-6) << what << ": " << report.name;
      }
      if (HasFailure()) return;
    }
  }
  RecordProperty("cases", static_cast<int>(cases));
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomCollectives, testing::Range(std::uint64_t{0}, std::uint64_t{10}));

// Four chips in a ring, two ranks each. Rank 1 sends to rank 0 of its chip, over no link; and with a second
// domain every chip has EFA beside its links.
TEST(Bound, KnowsWhoSendsToWhomAndTheWayAroundLinks) {
  MachineConfig machine = machine_named("trn2");
  machine.fabric.kind = FabricKind::kTorus;
  machine.fabric.dims = {4};
  machine.fabric.link_rates = {MegabytesPerSecond(1000)};
  machine.efa.rate = machine.efa.nic_rate = MegabytesPerSecond(1000);
  CollectiveTask task;
  task.op = CollectiveOp::kSendReceive;
  task.bytes = 1 << 30;
  task.root = 1;
  task.shift = -1;
  EXPECT_EQ(Scene(machine, Group::whole(4, 2)).bound(task).limited_by, "HBM");
  // 1 GiB out of the root's chip: two links, and EFA: 3 GB/s.
  task.op = CollectiveOp::kBroadcast;
  const double chip = static_cast<double>(task.bytes) / 3e-3;
  task.root = 0;
  std::vector<Seat> seats{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}};
  const Picoseconds start = machine.collectives.start_latency + machine.collectives.step_latency;
  EXPECT_EQ(Scene(machine, Group::of(seats)).bound(task).picoseconds,
            chip + static_cast<double>(start.count()));
}

}  // namespace
}  // namespace trn
