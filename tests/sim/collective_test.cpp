// Collectives: bounds by hand, never beaten; one chip for all equals every chip's flows.
#include <gtest/gtest.h>

#include "models/interconnect/collectives/algorithms/algorithm.h"
#include "sim/run/collective_simulation.h"

namespace trn {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kGiB = 1 << 30;
constexpr CollectiveOptions kFull{CollectiveOptions::Detail::kFull, 0, 0};

MachineConfig machine(const std::string& name, const std::vector<std::string>& sets = {}) {
  const MachineName parsed = parse_machine_name(name);
  ConfigDocument document = load_machine_document(parsed.config);
  for (const std::string& set : sets) document.set(set);
  return parse_machine(document, parsed.shape);
}

CollectiveJob job(CollectiveOp op, std::uint64_t bytes, const MachineConfig& m,
                  std::uint32_t ranks_per_chip = 1) {
  CollectiveJob j;
  j.task.op = op;
  j.task.bytes = bytes;
  j.group = Group::whole(static_cast<std::uint32_t>(m.fabric.chips()), ranks_per_chip);
  return j;
}

CollectiveResult run(CollectiveOp op, std::uint64_t bytes, const MachineConfig& m,
                     std::uint32_t ranks_per_chip = 1, const std::string& algorithm = "auto") {
  CollectiveJob j = job(op, bytes, m, ranks_per_chip);
  j.algorithm = algorithm;
  return run_collective(j, m);
}

double bound_us(CollectiveOp op, const std::string& name) {
  const MachineConfig m = machine(name);
  const CollectiveJob j = job(op, kGiB, m);
  return collective_bound(j.task, j.group, Topology(m.fabric), {}).picoseconds * 1e-6;
}

// The bandwidth parts for 1 GiB, S = 1,073,741,824 B, derived from the link rates (GB/s a direction):
//   trn2 64: chip 4 x 128 + 2 x 64 = 640.  AR 2 x 63/64 S/640 = 3303.0 us, AG half of it; A2A Z cut k S/(8 b)
//   =
//     4 S/(8 x 64) = S/128 = 8388.6 us.   trn2 16: chip 512: AR 2 x 15/16 S/512 = 3932.2 us; A2A S/256 =
//     4194.3 us.
//   trn3 144: chip 128 + 512 + 512 = 1152: AR 2 x 143/144 S/1152 = 1851.2 us; A2A half of S over the 128 GB/s
//     cable = 4194.3 us.                  trn3 64: AR 2 x 63/64 S/1152 = 1835.0 us; A2A 4194.3 us.
TEST(CollectiveBound, MatchesTheHandComputedTable) {
  EXPECT_NEAR(bound_us(CollectiveOp::kAllReduce, "trn2:ultraserver"), 3303.0, 0.1);
  EXPECT_NEAR(bound_us(CollectiveOp::kAllGather, "trn2:ultraserver"), 1651.5, 0.1);
  EXPECT_NEAR(bound_us(CollectiveOp::kAllToAll, "trn2:ultraserver"), 8388.6, 0.1);
  EXPECT_NEAR(bound_us(CollectiveOp::kAllReduce, "trn2:instance"), 3932.2, 0.1);
  EXPECT_NEAR(bound_us(CollectiveOp::kAllToAll, "trn2:instance"), 4194.3, 0.1);
  EXPECT_NEAR(bound_us(CollectiveOp::kAllReduce, "trn3:gen2"), 1851.2, 0.1);
  EXPECT_NEAR(bound_us(CollectiveOp::kAllToAll, "trn3:gen2"), 4194.3, 0.1);
  EXPECT_NEAR(bound_us(CollectiveOp::kAllReduce, "trn3:gen1"), 1835.0, 0.1);
}

struct Case {
  const char* machine;
  CollectiveOp op;
  double ratio;  // allowed at 1 GiB
};

class LargeCollective : public testing::TestWithParam<Case> {};

TEST_P(LargeCollective, ReachesItsBoundAndNeverBeatsIt) {
  const MachineConfig m = machine(GetParam().machine);
  for (std::uint64_t bytes = kMiB; bytes <= kGiB; bytes *= 4) {
    const CollectiveResult r = run(GetParam().op, bytes, m);
    EXPECT_TRUE(r.folded);
    const double ratio = static_cast<double>(r.time.count()) / r.bound.picoseconds;
    EXPECT_GE(ratio, 1.0) << bytes;
    if (bytes == kGiB) {
      EXPECT_LE(ratio, GetParam().ratio) << r.algorithm;
    }
  }
}

// Trn3's reduce-scatter ends with sums of many parts after the last byte has come: up to 1.6 %.
INSTANTIATE_TEST_SUITE_P(OneRankAChip, LargeCollective,
                         testing::Values(Case{"trn2:instance", CollectiveOp::kAllReduce, 1.01},
                                         Case{"trn2:instance", CollectiveOp::kAllGather, 1.01},
                                         Case{"trn2:instance", CollectiveOp::kReduceScatter, 1.01},
                                         Case{"trn2:instance", CollectiveOp::kAllToAll, 1.01},
                                         Case{"trn2:ultraserver", CollectiveOp::kAllReduce, 1.01},
                                         Case{"trn2:ultraserver", CollectiveOp::kAllGather, 1.01},
                                         Case{"trn2:ultraserver", CollectiveOp::kReduceScatter, 1.01},
                                         Case{"trn2:ultraserver", CollectiveOp::kAllToAll, 1.01},
                                         Case{"trn3:server", CollectiveOp::kAllReduce, 1.01},
                                         Case{"trn3:gen2", CollectiveOp::kAllReduce, 1.01},
                                         Case{"trn3:gen2", CollectiveOp::kAllGather, 1.01},
                                         Case{"trn3:gen2", CollectiveOp::kReduceScatter, 1.016},
                                         Case{"trn3:gen2", CollectiveOp::kAllToAll, 1.01},
                                         Case{"trn3:gen1", CollectiveOp::kAllReduce, 1.01},
                                         Case{"trn3:gen1", CollectiveOp::kAllGather, 1.01},
                                         Case{"trn3:gen1", CollectiveOp::kReduceScatter, 1.016},
                                         Case{"trn1:instance", CollectiveOp::kAllReduce, 1.01}));

// A torus of one dimension is a ring, of any size: seven chips, two links of 128 GB/s each.
//   AR 2 x 6/7 S / 256 GB/s = 7190.2 us; AG half of it.
TEST(RingCollective, ReachesItsBoundOnAnOddRing) {
  const MachineConfig m =
      machine("trn2:instance", {"shapes.instance.dims=[7]", "shapes.instance.link_mb_per_s=[128000]"});
  const double all_reduce = to_us(run(CollectiveOp::kAllReduce, kGiB, m).time);
  EXPECT_GE(all_reduce, 7190.2);
  EXPECT_LE(all_reduce, 7190.2 * 1.01);
  const double gather = to_us(run_collective(job(CollectiveOp::kAllGather, kGiB, m), m, kFull).time);
  EXPECT_GE(gather, 7190.2 / 2);
  EXPECT_LE(gather, 7190.2 / 2 * 1.01);
}

// Four ranks on a chip, all-reduce of S a rank, by the vendor's counts. Ring: every rank reads two and writes
// one byte a byte to reduce, reads one and writes one to gather: 5 S a rank, 20 S a chip. KangaRing, a pair:
// reads three and writes one, reads one and writes two: 7 S a pair, 14 S a chip. The chip's stacks give 4 x
// 716 GB/s less what rows and turning take; the links, 3932 us, hide behind that.
TEST(ChipCollective, IsBoundByHbmTouchesAndKangaRingTouchesFewer) {
  const MachineConfig m = machine("trn2:instance");
  const double rate = 4 * 716e9 / m.hbm.efficiency.cost(65536).mixed();
  const double s = static_cast<double>(kGiB) / rate * 1e6;
  const CollectiveResult ring = run(CollectiveOp::kAllReduce, kGiB, m, 4, "ring");
  EXPECT_EQ(ring.binding, "HBM");
  EXPECT_NEAR(to_us(ring.time), 20 * s, 20 * s * 0.05);
  const CollectiveResult kangaring = run(CollectiveOp::kAllReduce, kGiB, m, 4);
  EXPECT_EQ(kangaring.algorithm, "kangaring");
  EXPECT_EQ(kangaring.binding, "HBM");
  EXPECT_NEAR(to_us(kangaring.time), 14 * s, 14 * s * 0.05);
}

// The vendor's ranges on an instance with four ranks a chip: mesh below 1 MB, RDH to 56 MB, KangaRing above.
// The limits are those of auto; that each is the fastest of the three in the middle of its range comes out of
// the model.
TEST(ChipCollective, CrossoversAreInTheVendorsOrder) {
  const MachineConfig m = machine("trn2:instance");
  const auto fastest = [&](std::uint64_t bytes) {
    std::string best;
    Picoseconds least = Picoseconds::max();
    for (const char* name : {"mesh", "rdh", "kangaring"}) {
      const Picoseconds time = run(CollectiveOp::kAllReduce, bytes, m, 4, name).time;
      if (time < least) least = time, best = name;
    }
    return best;
  };
  EXPECT_EQ(fastest(64 * 1024), "mesh");
  EXPECT_EQ(fastest(8 * kMiB), "rdh");
  EXPECT_EQ(fastest(256 * kMiB), "kangaring");
  EXPECT_EQ(run(CollectiveOp::kAllReduce, 64 * 1024, m, 4).algorithm, "mesh");
  EXPECT_EQ(run(CollectiveOp::kAllReduce, 8 * kMiB, m, 4).algorithm, "rdh");
}

// Small: every chip's flows simulated. The folded run must agree within 0.1 %.
TEST(FoldedCollective, EqualsTheFullRun) {
  for (const char* name : {"trn2:instance", "trn2:ultraserver", "trn3:server"}) {
    const MachineConfig m = machine(name, {"collectives.slices=8"});
    for (const CollectiveOp op : {CollectiveOp::kAllReduce, CollectiveOp::kAllGather,
                                  CollectiveOp::kReduceScatter, CollectiveOp::kAllToAll}) {
      for (const std::uint64_t bytes : {std::uint64_t{12352}, 16 * kMiB}) {
        const CollectiveJob j = job(op, bytes, m);
        const CollectiveResult one = run_collective(j, m);
        const CollectiveResult all = run_collective(j, m, kFull);
        EXPECT_TRUE(one.folded && !all.folded);
        EXPECT_NEAR(to_us(one.time), to_us(all.time), 1e-3 * to_us(all.time)) << name << ' ' << bytes;
      }
    }
  }
}

// Time does not fall with the size, algorithm by algorithm.
TEST(Collective, IsMonotonicInSize) {
  const MachineConfig m = machine("trn2:ultraserver");
  for (const CollectiveOp op : {CollectiveOp::kAllReduce, CollectiveOp::kAllGather,
                                CollectiveOp::kReduceScatter, CollectiveOp::kAllToAll}) {
    const std::string algorithm = op == CollectiveOp::kAllToAll ? "direct" : "bucket";
    Picoseconds last;
    for (std::uint64_t bytes = 64; bytes <= kGiB; bytes *= 8) {
      const Picoseconds t = run(op, bytes, m, 4, algorithm).time;
      EXPECT_GE(t, last) << bytes;
      last = t;
    }
  }
}

// Of steps that become ready within a trigger's time, the order decides which is first; so none here.
// Doubling every rate and halving every latency halves the time, but for the picosecond to which each of the
// several thousand completions of a chain is rounded up: 213 us are 213,000,000 ps, so 3e-5 is allowed.
TEST(Collective, ScalesWithTheMachine) {
  const std::vector<std::string> twice{"shapes.ultraserver.link_mb_per_s=2x",
                                       "shapes.ultraserver.hop_latency_ns=0.5x",
                                       "hbm.stack_mb_per_s=2x",
                                       "neuron_core.dma.engine_mb_per_s=2x",
                                       "collectives.step_latency_ns=0.5x",
                                       "collectives.start_latency_ns=0.5x",
                                       "collectives.trigger_ns=0"};
  const std::vector<std::string> once{"collectives.trigger_ns=0"};
  for (const CollectiveOp op : {CollectiveOp::kAllReduce, CollectiveOp::kAllToAll}) {
    const double slow = to_us(run(op, 64 * kMiB, machine("trn2:ultraserver", once)).time);
    const double fast = to_us(run(op, 64 * kMiB, machine("trn2:ultraserver", twice)).time);
    EXPECT_NEAR(2 * fast, slow, 3e-5 * slow);
  }
}

// Chips 0 and 8 of a column, and 4 and 12 between them: two hops either way, so a pair alone has half of its
// bytes on each cable of the column, and both pairs have all of them: twice the time but for the latencies.
TEST(Collective, GroupsBesideEachOtherShareTheMachine) {
  const MachineConfig m = machine("trn2:instance");
  const auto pair = [](std::uint32_t a, std::uint32_t b) {
    CollectiveJob j;
    j.task.bytes = 256 * kMiB;
    j.task.op = CollectiveOp::kAllToAll;
    j.group = Group::of({{0, a, 0}, {0, b, 0}});
    return j;
  };
  const CollectiveResult alone = run_collective(pair(0, 8), m);
  EXPECT_EQ(alone.why_full, "the group is not on every chip alike");
  const CollectiveResult both = run_collectives({pair(0, 8), pair(4, 12)}, m);
  EXPECT_NEAR(to_us(both.time), 2 * to_us(alone.time), 10);
}

// One ring through two instances of Trn1, as two cycles of each instance both ways: four channels, each with
// a quarter of 2 x 31/32 S to carry (32 ranks, one a chip) out of an instance at one end. A card of 100 Gb/s
// there gives 12.5 GB/s: 2 x 31/32 x 256 MiB / 50 GB/s = 10402 us; chips that had only their 16th of 800 Gb/s
// would take twice as long. 62 steps of 1.5 us and four of them over EFA (15 us) may not all hide.
TEST(FlatRing, LeavesADomainThroughTheCardsOfItsEnds) {
  const auto time = [](const std::string& card) {
    const MachineConfig m = machine("trn1:instance", {"efa.nic_mb_per_s=" + card});
    CollectiveJob j = job(CollectiveOp::kAllReduce, 256 * kMiB, m);
    j.group = Group::whole(16, 1, 2);
    EXPECT_EQ(run_collective(j, m).algorithm, "ring+flat");
    return to_us(run_collective(j, m).time);
  };
  EXPECT_GE(time("12500"), 10402);
  EXPECT_LE(time("12500"), 10402 + 160);
  EXPECT_NEAR(time("6250"), 2 * 10402, 320);
}

// Both domains' chips together still have no more than 16 x 6.25 GB/s: all-to-all sends half of 16 x S there.
TEST(Efa, CardsDoNotAddToTheNetworkOfADomain) {
  const MachineConfig m = machine("trn1:instance");
  CollectiveJob j = job(CollectiveOp::kAllToAll, 64 * kMiB, m);
  j.group = Group::whole(16, 1, 2);
  const double bound = 16 * 64.0 * kMiB / 2 / 100e9 * 1e6;  // 5369 us
  EXPECT_GE(to_us(run_collective(j, m, kFull).time), bound);
  EXPECT_LE(to_us(run_collective(j, m, kFull).time), bound * 1.01);
  EXPECT_NEAR(to_us(run_collective(j, m).time), to_us(run_collective(j, m, kFull).time), 1);
}

// A rank that starts 100 us late delays everybody's all-reduce by that: nobody can have its part before.
TEST(Collective, WaitsForTheRankThatStartsLate) {
  const MachineConfig m = machine("trn2:instance");
  CollectiveJob j = job(CollectiveOp::kAllReduce, 65536, m);
  const Picoseconds level = run_collective(j, m, kFull).time;
  j.delay.resize(16);
  j.delay[5] = Picoseconds(100'000'000);
  const CollectiveResult late = run_collective(j, m);
  EXPECT_EQ(late.why_full, "ranks start at different times");
  EXPECT_GE(late.time, j.delay[5]);
  EXPECT_LE(late.time, level + j.delay[5]);
}

// Compute DMA in the background takes HBM from a collective that HBM binds, never gives any.
TEST(Collective, LosesHbmToComputeInTheBackground) {
  const MachineConfig m = machine("trn2:instance");
  const CollectiveJob j = job(CollectiveOp::kAllReduce, 64 * kMiB, m, 4);
  CollectiveOptions busy;
  busy.background_rate = 1000e9;
  EXPECT_GT(to_us(run_collective(j, m, busy).time), to_us(run_collective(j, m).time) * 1.05);
}

// Orders of a 4x4x4 torus with a thin Z: by the cut at each chip no schedule can load x more than its share
// of 640 GB/s, so the least loaded plan takes exactly the chip bound: 63/64 / 640 a byte.
TEST(BucketOrders, BalanceTheThinAxis) {
  const Topology topology(machine("trn2:ultraserver").fabric);
  double share = 0;
  std::vector<double> load(3);
  const GroupShape shape = Group::whole(64, 1).shape(topology);
  for (const BucketOrder& order : balanced_orders(shape.dimensions)) {
    share += order.share;
    double left = order.share;
    for (const std::uint32_t d : order.dimensions) {
      load[d] += left * 3 / 4;
      left /= 4;
    }
  }
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_NEAR(load[0] / 256, 63.0 / 64 / 640, 1e-9);  // 2 x 128
  EXPECT_NEAR(load[1] / 256, 63.0 / 64 / 640, 1e-9);
  EXPECT_NEAR(load[2] / 128, 63.0 / 64 / 640, 1e-9);  // 2 x 64
}

}  // namespace
}  // namespace trn
