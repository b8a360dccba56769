// Two classes of traffic that meet: fluid sharing against packets that are served in turn.
#include <gtest/gtest.h>

#include "tests/support/collective_scene.h"
#include "tests/support/packet_mover.h"

namespace trn {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

struct Traffics {
  std::uint64_t packet = 4096;
  std::uint32_t priority = 0;
};

// Reads HBM in chunks, one after the other on every chip: long ones, since packets leave a gap between two.
class Reader : public TrafficActor {
 public:
  Reader(Traffic& traffic, const CollectiveResources& resources, Traffics how) : traffic_(traffic) {
    for (std::size_t site = 0; site < resources.memory.size(); ++site) {
      FlowShape shape;
      shape.weight = static_cast<double>(how.packet);
      shape.priority = how.priority;
      shape.uses = {resources.memory[site][0], resources.engines[site][0]};
      classes_.push_back(traffic.mover().intern(shape));
      flow_done(site, Picoseconds(0));
    }
  }
  void flow_done(std::uint64_t site, Picoseconds now) override {
    traffic_.start_flow(now, classes_[site], Bytes(16 * kMiB), *this, site);
  }
  void timer(std::uint64_t, Picoseconds) override {}

 private:
  Traffic& traffic_;
  std::vector<FlowClassId> classes_;
};

// A second collective of the same ranks.
struct Second {
  Second(Traffic& traffic, const CollectiveResources& resources, const Scene& scene, const Schedule& schedule,
         Traffics how)
      : paths(scene.group(), scene.topology(), scene.routes(), resources, scene.machine()),
        run(traffic, paths, resources, std::make_shared<const Schedule>(schedule), start_of(scene, how),
            [](Picoseconds) {}) {
    run.start(Picoseconds(0));
  }
  static CollectiveStart start_of(const Scene& scene, Traffics how) {
    CollectiveStart start;
    start.config = scene.machine().collectives;
    start.config.packet = Bytes(how.packet);
    start.priority = how.priority;
    return start;
  }
  MovePaths paths;
  CollectiveRun run;
};

void expect_agreement(const Scene& scene, const Schedule& schedule, Movement movement,
                      const std::string& what) {
  const double fluid = to_us(scene.run(schedule, movement).time);
  movement.mover = [] { return std::make_unique<PacketMover>(16); };
  const double packets = to_us(scene.run(schedule, movement).time);
  EXPECT_NEAR(packets, fluid, 0.05 * fluid) << what;
}

// Eight chips with a fifth of their HBM, so that HBM is what they fight for; one slice, so that flows are
// long against packets.
MachineConfig tight(const std::string& name) {
  MachineConfig machine = machine_named(name, {"hbm.stack_mb_per_s=0.2x"});
  machine.fabric.dims = {4, 2};       // of a torus
  machine.fabric.trays_per_rack = 4;  // of a switched machine
  machine.collectives.slices = machine.collectives.ring_slices = 1;
  return machine;
}

struct Meeting {
  const char* machine;
  Traffics first, second;
  const char* what;
};

class TwoClasses : public testing::TestWithParam<Meeting> {};

TEST_P(TwoClasses, ShareAsPacketsDo) {
  const Meeting& meeting = GetParam();
  MachineConfig machine = tight(meeting.machine);
  machine.collectives.packet = Bytes(meeting.first.packet);
  const auto chips = static_cast<std::uint32_t>(machine.fabric.chips());
  const Scene scene(machine, Group::whole(chips, 1));
  Movement movement;
  movement.priority = meeting.first.priority;
  for (const auto& [op, algorithm] :
       std::vector<std::pair<CollectiveOp, std::string>>{{CollectiveOp::kAllReduce, "bucket"},
                                                         {CollectiveOp::kAllReduce, "ring"},
                                                         {CollectiveOp::kAllGather, "mesh"},
                                                         {CollectiveOp::kAllToAll, "direct"}}) {
    const std::string what = std::string(meeting.what) + ", " + algorithm;
    CollectiveTask task;
    task.op = op;
    task.bytes = 32 * kMiB;
    const Schedule schedule = scene.schedule(task, algorithm);
    movement.beside = [&](Traffic& traffic, const CollectiveResources& resources) {
      return std::make_shared<Reader>(traffic, resources, meeting.second);
    };
    if (meeting.first.priority <= meeting.second.priority)  // else it never gets through
      expect_agreement(scene, schedule, movement, what + " beside DMA");
    CollectiveTask other;
    other.op = CollectiveOp::kAllGather;
    other.bytes = 32 * kMiB;
    const Schedule second = scene.schedule(other, "ring");
    movement.beside = [&](Traffic& traffic, const CollectiveResources& resources) {
      const auto run = std::make_shared<Second>(traffic, resources, scene, second, meeting.second);
      return std::shared_ptr<TrafficActor>(run, &run->run);
    };
    expect_agreement(scene, schedule, movement, what + " beside all-gather");
  }
}
INSTANTIATE_TEST_SUITE_P(
    Machines, TwoClasses,
    testing::Values(Meeting{"trn2:instance", {65536, 0}, {4096, 0}, "large against small packets"},
                    Meeting{"trn2:instance", {16384, 0}, {65536, 0}, "small against large packets"},
                    Meeting{"trn3:server", {16384, 0}, {16384, 1}, "urgent"},
                    Meeting{"trn3:server", {16384, 1}, {16384, 0}, "not urgent"}));

}  // namespace
}  // namespace trn
