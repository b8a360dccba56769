// One chip for all against every chip's flows: every operation and algorithm that allows it.
#include <gtest/gtest.h>

#include "models/interconnect/collectives/partners.h"
#include "sim/run/collective_simulation.h"
#include "tests/support/collective_scene.h"

namespace trn {
namespace {

struct Folding {
  const char* machine;
  std::vector<std::uint32_t> lanes;
  std::vector<std::uint64_t> bytes;
  double off = 1e-3;
};

class Folded : public testing::TestWithParam<Folding> {};

TEST_P(Folded, EqualsEveryChipsFlows) {
  const MachineConfig machine = machine_named(GetParam().machine, {"collectives.slices=8"});
  int cases = 0;
  for (const std::uint32_t lanes : GetParam().lanes)
    for (std::size_t op = 0; op < kCollectiveOps.size(); ++op)
      for (const std::uint64_t bytes : GetParam().bytes) {
        const Scene scene(machine, Group::whole(static_cast<std::uint32_t>(machine.fabric.chips()), lanes));
        CollectiveTask task;
        task.op = static_cast<CollectiveOp>(op);
        task.bytes = bytes;
        for (const std::string& algorithm : scene.algorithms(task)) {
          const Schedule schedule = scene.schedule(task, algorithm);
          if (!schedule.symmetric || !schedule.layout.even() ||
              schedule.steps.size() * schedule.ranks > 40'000)
            continue;
          if (!partners_alike(schedule, scene.group(), scene.topology(), scene.routes())) continue;
          Movement folded;
          folded.detail = CollectiveResources::Detail::kFolded;
          const double one = to_us(scene.run(schedule, folded).time), all = to_us(scene.run(schedule).time);
          EXPECT_NEAR(one, all, GetParam().off * all)
              << GetParam().machine << ' ' << kCollectiveOps[op] << ' ' << algorithm << ' ' << bytes << " B, "
              << lanes << " a chip";
          ++cases;
        }
      }
  RecordProperty("cases", cases);
}
constexpr std::uint64_t kMiB = 1 << 20;
// An exchange starts with one teammate after the other in order of their numbers: the cable to the other rack
// of gen1, or the chip in the same tray of a server, comes earlier on some chips than on others.
INSTANTIATE_TEST_SUITE_P(Machines, Folded,
                         testing::Values(Folding{"trn2:instance", {1, 2, 4}, {12'345, 16 * kMiB}},
                                         Folding{"trn2:ultraserver", {1}, {kMiB}},
                                         Folding{"trn3:server", {1, 2, 4}, {12'345, 16 * kMiB}, 2e-3},
                                         Folding{"trn3:gen1", {1}, {kMiB}, 6e-3}));

// On a torus rank r + 1 of the last in a row is two hops away: no chip stands for all.
TEST(Folding, NotWherePartnersAreNearerOnSomeChips) {
  for (const char* name : {"trn2:instance", "trn3:gen1"})
    for (const auto& [op, algorithm] : std::vector<std::pair<CollectiveOp, std::string>>{
             {CollectiveOp::kPermute, "direct"}, {CollectiveOp::kBarrier, "dissemination"}}) {
      const MachineConfig machine = machine_named(name);
      CollectiveJob job;
      job.group = Group::whole(static_cast<std::uint32_t>(machine.fabric.chips()), 1);
      job.task.op = op;
      job.task.bytes = kMiB;
      job.algorithm = algorithm;
      const CollectiveResult result = run_collective(job, machine);
      EXPECT_FALSE(result.folded) << name << ' ' << algorithm;
    }
}

}  // namespace
}  // namespace trn
