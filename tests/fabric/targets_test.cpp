// What algorithms cost by formula: bytes sent by a chip, touches of HBM, and times close to the bounds.
#include <gtest/gtest.h>

#include "sim/run/collective_simulation.h"
#include "tests/support/collective_scene.h"

namespace trn {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kGiB = 1 << 30;

MachineConfig with_fabric(FabricConfig fabric) {
  MachineConfig machine = machine_named("trn2");
  machine.fabric = std::move(fabric);
  return machine;
}

MachineConfig ports(FabricKind kind, std::uint64_t chips, std::uint64_t rate) {
  FabricConfig f;
  f.kind = kind;
  f.ports = chips;
  f.port_rate = MegabytesPerSecond(rate);
  f.hop_latency = nanoseconds(150);
  return with_fabric(f);
}

MachineConfig torus(std::vector<std::uint64_t> dims) {
  FabricConfig f;
  f.kind = FabricKind::kTorus;
  f.link_rates.assign(dims.size(), MegabytesPerSecond(128'000));
  f.dims = std::move(dims);
  f.hop_latency = nanoseconds(200);
  return with_fabric(f);
}

// By one chip of a switch, which forwards nothing, for S = 1 byte. P chips, R ranks each, n in all.
// A rank's ring passes each of its n - 1 blocks on, and one rank of a chip sends off the chip; of pairs, n
// / 2.
double sent(CollectiveOp op, const std::string& algorithm, double p, double r) {
  const double n = p * r;
  const double phases = op == CollectiveOp::kAllReduce ? 2 : 1;
  if (op == CollectiveOp::kAllToAll) return r * (n - r) / n;
  if (algorithm == "single_step") return r * (n - r);
  if (algorithm == "ring") return phases * (n - 1) / n;
  if (algorithm == "kangaring") return phases * (n / 2 - 1) / (n / 2);
  return phases * (p - 1) / p;
}

// Blocks that do not divide are rounded up, a byte a move at most.
TEST(BytesSent, AreTheFormulas) {
  for (const std::uint32_t chips : {2U, 3U, 4U, 6U, 8U})
    for (const std::uint32_t lanes : {1U, 2U, 3U, 4U})
      for (const std::uint64_t bytes : {std::uint64_t{chips} * lanes * 4096, std::uint64_t{1'000'003}})
        for (const CollectiveOp op : {CollectiveOp::kAllReduce, CollectiveOp::kAllGather,
                                      CollectiveOp::kReduceScatter, CollectiveOp::kAllToAll}) {
          const Scene scene(ports(FabricKind::kSwitch, chips, 100'000), Group::whole(chips, lanes));
          CollectiveTask task;
          task.op = op;
          task.bytes = bytes;
          for (const std::string& algorithm : scene.algorithms(task)) {
            const Schedule schedule = scene.schedule(task, algorithm);
            const Outcome outcome = scene.run(schedule);
            for (std::uint32_t chip = 0; chip < chips; ++chip) {
              double got = 0;
              for (const std::uint32_t l : scene.topology().outgoing(chip))
                got += outcome.report[outcome.resources.links[l]].units_moved;
              const double exact = sent(op, algorithm, chips, lanes) * static_cast<double>(bytes);
              const double moves = static_cast<double>(schedule.steps.size() * lanes);
              const bool even = schedule.layout.even();
              EXPECT_GE(got, exact * (1 - 1e-9) - (even ? 0 : moves))
                  << algorithm << ' ' << chips << 'x' << lanes;
              EXPECT_LE(got, exact * (1 + 1e-9) + moves) << algorithm << ' ' << chips << 'x' << lanes;
            }
          }
        }
}

// Reads and writes of HBM by four ranks of a chip, all-reduce of S each, in blocks of S/n of n ranks.
// Ring: the first step reads one block and writes one, the n - 2 others of the reduce-scatter read two and
// write one; the first of the all-gather sums two and writes two, the n - 2 others copy. 2 + 3(n-2) + 4 +
// 2(n-2) = 5n - 4:
//   4 (5 - 4/64) S = 19.75 S.
// KangaRing, a pair in blocks of S/m of m = 32 pairs: 2 reads and a write; m - 2 steps of 3 and 1; a sum of
// three written three times; m - 2 steps of 1 and 2; and the last block copied. 3 + 4(m-2) + 6 + 3(m-2) + 2 =
// 7m - 3:
//   2 (7 - 3/32) S = 13.8125 S.
TEST(HbmTouches, KangaRingNeedsThreeTenthsLessThanRing) {
  const MachineConfig machine = machine_named("trn2:instance");
  const Scene scene(machine, Group::whole(16, 4));
  CollectiveTask task;
  task.bytes = kGiB;
  Movement folded;
  folded.detail = CollectiveResources::Detail::kFolded;
  std::vector<double> times;
  for (const auto& [algorithm, touches] :
       std::vector<std::pair<std::string, double>>{{"ring", 19.75}, {"kangaring", 13.8125}}) {
    const Outcome outcome = scene.run(scene.schedule(task, algorithm), folded);
    double moved = 0, rate = 0;
    for (const auto& memory : outcome.resources.memory) {
      moved += outcome.report[memory[0].resource].units_moved;
      rate += outcome.report[memory[0].resource].capacity;
    }
    EXPECT_NEAR(moved / kGiB, touches, 1e-3 * touches) << algorithm;
    const double at_least = touches * kGiB / rate * 1e-6;
    times.push_back(to_us(outcome.time));
    EXPECT_GE(times.back(), at_least) << algorithm;
    EXPECT_LE(times.back(), at_least * 1.03) << algorithm;
    CollectiveJob job;
    job.task = task;
    job.group = scene.group();
    job.algorithm = algorithm;
    const CollectiveResult result = run_collective(job, machine);
    EXPECT_EQ(result.binding, "HBM") << algorithm;
    EXPECT_EQ(result.time, outcome.time) << algorithm;
  }
  EXPECT_LT(times[1], times[0]);
}

// Over its bound.
double ratio(const MachineConfig& machine, CollectiveOp op, const std::string& algorithm,
             std::uint64_t bytes) {
  const Scene scene(machine, Group::whole(static_cast<std::uint32_t>(machine.fabric.chips()), 1));
  CollectiveTask task;
  task.op = op;
  task.bytes = bytes;
  Movement movement;
  if (scene.topology().chips_alike()) movement.detail = CollectiveResources::Detail::kFolded;
  const double time = static_cast<double>(scene.run(scene.schedule(task, algorithm), movement).time.count());
  return time / scene.bound(task).picoseconds;
}

void expect_close(const MachineConfig& machine, CollectiveOp op, const std::string& algorithm,
                  const std::string& on, std::uint64_t bytes = kGiB, double most = 1.01) {
  const double r = ratio(machine, op, algorithm, bytes);
  EXPECT_GE(r, 1) << algorithm << " on " << on;
  EXPECT_LE(r, most) << algorithm << " on " << on << ", " << kCollectiveOps[static_cast<std::size_t>(op)];
}

constexpr CollectiveOp kStaged[] = {CollectiveOp::kAllReduce, CollectiveOp::kAllGather,
                                    CollectiveOp::kReduceScatter};

TEST(NearBound, RingsOnRings) {
  for (const std::uint64_t chips : {3, 4, 7, 8, 16})
    for (const CollectiveOp op : kStaged)
      expect_close(torus({chips}), op, "ring", std::to_string(chips) + " chips");
}

TEST(NearBound, DirectOnSwitchesAndAllJoined) {
  for (const FabricKind kind : {FabricKind::kSwitch, FabricKind::kFullyConnected})
    for (const std::uint64_t chips : {2, 5, 8, 16}) {
      const MachineConfig machine = ports(kind, chips, kind == FabricKind::kSwitch ? 700'000 : 50'000);
      // The sum of a mesh's blocks starts when the last has come: by HBM and DMA of a real chip a third more.
      MachineConfig links_only = machine;
      leave_links_only(links_only);
      for (const CollectiveOp op : kStaged)
        expect_close(links_only, op, "mesh", std::to_string(chips) + " chips");
      expect_close(machine, CollectiveOp::kAllToAll, "direct", std::to_string(chips) + " chips");
    }
}

TEST(NearBound, BucketsOnTheBigMachines) {
  expect_close(machine_named("trn3:gen2"), CollectiveOp::kAllReduce, "bucket", "gen2");
  expect_close(machine_named("trn2:ultraserver"), CollectiveOp::kAllReduce, "bucket", "ultraserver");
}

TEST(NearBound, DirectAllToAllOnEvenTori) {
  for (const std::vector<std::uint64_t>& dims :
       std::vector<std::vector<std::uint64_t>>{{8}, {4, 4}, {6, 4}, {2, 8}, {4, 4, 4}})
    expect_close(torus(dims), CollectiveOp::kAllToAll, "direct", std::to_string(dims.size()) + " dimensions");
  expect_close(machine_named("trn2:ultraserver"), CollectiveOp::kAllToAll, "direct", "ultraserver");
}

TEST(NearBound, DirectOnASwitchOf144) {
  MachineConfig machine = machine_named("trn2:configs/topologies/switch-144.json");
  leave_links_only(machine);
  for (const CollectiveOp op : {CollectiveOp::kAllReduce, CollectiveOp::kAllGather})
    expect_close(machine, op, "mesh", "144 ports", 64 * kMiB, 1.02);
  expect_close(machine, CollectiveOp::kAllToAll, "direct", "144 ports", 64 * kMiB, 1.02);
}

struct Order {
  std::vector<std::uint32_t> dimensions;  // x 0, y 1, z 2
  double share;
};

// All-reduce of 1 GiB on 4x4x4 with 128, 128 and 64 GB/s a link in buckets of these orders, both ways round,
// over the bound.
double bucket_ratio(const std::vector<Order>& orders, std::uint64_t slices) {
  MachineConfig machine = machine_named("trn2:ultraserver");
  leave_links_only(machine);
  machine.fabric.hop_latency = Picoseconds(0);
  const Scene scene(machine, Group::whole(64, 1));
  Schedule schedule;
  schedule.ranks = 64;
  schedule.layout = BlockLayout::uniform(kGiB, 64);
  for (const std::uint32_t stride : {16U, 4U, 1U}) schedule.add_teams(Teams::strided(stride, 4));
  std::vector<Chain> chains;
  for (const Order& order : orders)
    for (const bool forward : {true, false}) {
      Chain chain{order.share / 2, slices, {}};
      for (const std::uint32_t d : order.dimensions) chain.stages.push_back({Stage::Kind::kRing, d, forward});
      chains.push_back(chain);
    }
  unroll(chains, Phases::kAllReduce, schedule);
  number_patterns(schedule);
  CollectiveTask task;
  task.bytes = kGiB;
  Movement folded;
  folded.detail = CollectiveResources::Detail::kFolded;
  return static_cast<double>(scene.run(schedule, folded).time.count()) / scene.bound(task).picoseconds;
}

// Reduce-scatter and all-gather pass the dimensions one after the other, 2 x 3/4 of what is left over two
// links each; the bound is 2 x 63/64 S / 640 GB/s.
//   X, Y, Z: (1 + 1/4) / 256 + 1/16 / 128;  Z, Y, X: 1 / 128 + (1/4 + 1/16) / 256: 2.62 and 4.40.
TEST(Buckets, OfOneOrder) {
  const double bound = 63.0 / 64 / 640;
  const double xyz = 0.75 * (1.25 / 256 + 0.0625 / 128) / bound;
  const double zyx = 0.75 * (1.0 / 128 + 0.3125 / 256) / bound;
  EXPECT_NEAR(xyz, 2.62, 0.01);
  EXPECT_NEAR(zyx, 4.40, 0.01);
  EXPECT_NEAR(bucket_ratio({{{0, 1, 2}, 1}}, 1), xyz, 0.01 * xyz);
  EXPECT_NEAR(bucket_ratio({{{2, 1, 0}, 1}}, 1), zyx, 0.01 * zyx);
}

// In slices Z is never idle: a third of the data passes it first, a third second, a third last, or other
// shares.
TEST(Buckets, OfThreeRotatedOrders) {
  const double bound = 63.0 / 64 / 640;
  const double thirds = 0.75 * (1 + 0.25 + 0.0625) / 3 / 128 / bound;
  const double better = 0.75 * (0.2 + 0.4 * 0.25 + 0.4 * 0.0625) / 128 / bound;
  EXPECT_NEAR(thirds, 1.67, 0.01);
  EXPECT_NEAR(better, 1.24, 0.01);
  const auto rotated = [](double xyz, double yzx, double zxy) {
    return bucket_ratio({{{0, 1, 2}, xyz}, {{1, 2, 0}, yzx}, {{2, 0, 1}, zxy}}, 64);
  };
  EXPECT_NEAR(rotated(1.0 / 3, 1.0 / 3, 1.0 / 3), thirds, 0.01 * thirds);
  EXPECT_NEAR(rotated(0.4, 0.4, 0.2), better, 0.01 * better);
}

}  // namespace
}  // namespace trn
