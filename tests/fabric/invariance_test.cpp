// What may not change a time, and which way it changes: units, names, sizes, latencies, rates.
#include <gtest/gtest.h>

#include "tests/support/random_scenes.h"

namespace trn {
namespace {

double time_of(const Scene& scene, const CollectiveTask& task, const std::string& algorithm) {
  return static_cast<double>(scene.run(scene.schedule(task, algorithm)).time.count());
}

Picoseconds half(Picoseconds t) { return Picoseconds(t.count() / 2); }
Picoseconds even(Picoseconds t) { return half(t) * 2; }
MegabytesPerSecond twice(MegabytesPerSecond rate) { return MegabytesPerSecond(rate.count() * 2); }

template <class Change>
void change_latencies(MachineConfig& m, const Change& change) {
  for (Picoseconds* t : {&m.fabric.hop_latency, &m.efa.latency, &m.collectives.step_latency,
                         &m.collectives.start_latency, &m.collectives.trigger})
    *t = change(*t);
  for (GraphCable& cable : m.fabric.graph_cables) cable.latency = change(cable.latency);
}

MachineConfig twice_as_fast(MachineConfig m) {
  change_latencies(m, half);
  for (MegabytesPerSecond* rate :
       {&m.efa.rate, &m.efa.nic_rate, &m.hbm.stack_rate, &m.core.dma.engine_rate, &m.fabric.tray_rate,
        &m.fabric.rack_rate, &m.fabric.cross_rack_rate, &m.fabric.port_rate, &m.fabric.uplink_rate})
    *rate = twice(*rate);
  for (MegabytesPerSecond& rate : m.fabric.link_rates) rate = twice(rate);
  for (GraphCable& cable : m.fabric.graph_cables) cable.rate = twice(cable.rate);
  return m;
}

// Half the time to a millionth, but for the picoseconds to which the completions of a step are rounded up.
TEST(Scaling, AMachineTwiceAsFastTakesHalfTheTime) {
  SceneGenerator generator(77);
  std::uint64_t cases = 0;
  for (int i = 0; i < 60; ++i) {
    RandomScene random = generator.next();
    if (random.task.op == CollectiveOp::kBarrier || !random.task.sizes.empty()) continue;
    random.task.bytes += 64 << 20;
    change_latencies(random.machine, even);
    random.machine.collectives.trigger = Picoseconds(2 * 720'720);  // whole for one to sixteen CC-cores
    const Scene slow(random.machine, random.group), fast(twice_as_fast(random.machine), random.group);
    for (const std::string& algorithm : slow.algorithms(random.task)) {
      const Schedule schedule = slow.schedule(random.task, algorithm);
      const double a = static_cast<double>(slow.run(schedule).time.count());
      const double b = static_cast<double>(fast.run(schedule).time.count());
      EXPECT_NEAR(2 * b, a, 1e-6 * a + 4 * static_cast<double>(schedule.steps.size()))
          << "scene " << i << ": " << algorithm << ", " << random.what;
      ++cases;
    }
  }
  RecordProperty("cases", static_cast<int>(cases));
}

// Chips of a graph get other numbers, the group follows; cables are listed in another order.
TEST(Relabelling, ChipsAndCablesMayHaveAnyNumbers) {
  SceneGenerator generator(99);
  std::uint64_t cases = 0;
  for (int i = 0; i < 200; ++i) {
    RandomScene random = generator.next();
    random.machine.fabric = generator.graph();
    const auto chips = static_cast<std::uint32_t>(random.machine.fabric.graph_chips);
    std::vector<std::uint32_t> chip_named(chips);
    for (std::uint32_t c = 0; c < chips; ++c) chip_named[c] = c;
    generator.shuffle(chip_named);
    MachineConfig renamed = random.machine;
    const auto rename = [&](std::uint32_t vertex) { return vertex < chips ? chip_named[vertex] : vertex; };
    for (GraphCable& cable : renamed.fabric.graph_cables) {
      cable.from = rename(cable.from);
      cable.to = rename(cable.to);
    }
    generator.shuffle(renamed.fabric.graph_cables);
    std::vector<Seat> seats, other;
    const auto lanes = static_cast<std::uint32_t>(generator.pick(1, 3));
    for (std::uint32_t c = 0; c < chips; ++c)
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        seats.push_back({0, c, lane});
        other.push_back({0, rename(c), lane});
      }
    random.task.root = 0;
    random.task.sizes.clear();
    const Scene here(random.machine, Group::of(seats)), there(renamed, Group::of(other));
    for (const std::string& algorithm : here.algorithms(random.task)) {
      const Schedule schedule = here.schedule(random.task, algorithm);
      // The search for rings follows the numbers: it may find others, but the same rings take the same time.
      const bool searched = algorithm == "ring" || algorithm == "kangaring" || algorithm == "pipeline";
      const double a = static_cast<double>(here.run(schedule).time.count());
      const double b = static_cast<double>(
          there.run(searched ? schedule : there.schedule(random.task, algorithm)).time.count());
      // Events a picosecond apart may swap where sums are rounded in another order.
      EXPECT_NEAR(a, b, 1e-9 * a + 2) << "scene " << i << ": " << algorithm << ", " << random.what;
      ++cases;
    }
  }
  RecordProperty("cases", static_cast<int>(cases));
}

struct Plain {
  const char* name;
  FabricConfig fabric;
};

std::vector<Plain> plain_machines() {
  const auto torus = [](std::vector<std::uint64_t> dims) {
    FabricConfig f;
    f.kind = FabricKind::kTorus;
    f.link_rates.assign(dims.size(), MegabytesPerSecond(128'000));
    f.dims = std::move(dims);
    f.hop_latency = nanoseconds(200);
    return f;
  };
  const auto ports = [](FabricKind kind, std::uint64_t chips) {
    FabricConfig f;
    f.kind = kind;
    f.ports = chips;
    f.port_rate = MegabytesPerSecond(100'000);
    f.hop_latency = nanoseconds(150);
    return f;
  };
  return {{"ring of 8", torus({8})},
          {"ring of 5", torus({5})},
          {"4x4", torus({4, 4})},
          {"switch of 6", ports(FabricKind::kSwitch, 6)},
          {"all joined, 5", ports(FabricKind::kFullyConnected, 5)}};
}

// Every operation, with each of its algorithms, on plain machines with one and two ranks a chip.
template <class Check>
void for_each_plain(const Check& check) {
  for (const Plain& plain : plain_machines())
    for (const std::uint32_t lanes : {1U, 2U}) {
      if (lanes == 2 && plain.fabric.chips() > 8) continue;
      for (std::size_t op = 0; op < kCollectiveOps.size(); ++op) {
        MachineConfig machine = machine_named("trn2");
        machine.fabric = plain.fabric;
        machine.collectives.slices = 4;
        const Group group = Group::whole(static_cast<std::uint32_t>(plain.fabric.chips()), lanes);
        CollectiveTask task;
        task.op = static_cast<CollectiveOp>(op);
        for (const std::string& algorithm : Scene(machine, group).algorithms(task))
          check(machine, group, task, algorithm,
                std::string(kCollectiveOps[op]) + ' ' + algorithm + " on " + plain.name + ", " +
                    std::to_string(lanes) + " a chip");
      }
    }
}

// Where flows share, one that ends earlier may slow another on the way that all wait for: so much less time,
// at most, where it should be no less. Others may not.
struct Anomaly {
  const char* what;
  double dip;
};
constexpr Anomaly kKnown[] = {{"broadcast rdh on ring of 8, 1 a chip", 0.001},
                              {"broadcast ring on ring of 5, 2 a chip", 0.001},
                              {"broadcast ring on all joined, 5, 2 a chip", 0.001},
                              {"broadcast kangaring on ring of 8, 2 a chip", 0.003},
                              {"broadcast rdh on 4x4, 1 a chip", 0.025},
                              {"reduce ring on switch of 6, 1 a chip", 0.001},
                              {"reduce kangaring on switch of 6, 2 a chip", 0.001},
                              {"all_reduce ring on all joined, 5, 2 a chip", 0.002},
                              {"all_reduce mesh on all joined, 5, 2 a chip", 0.002}};

double allowed_dip(const std::string& what) {
  for (const Anomaly& anomaly : kKnown)
    if (what == anomaly.what) return anomaly.dip;
  return 0;
}

TEST(Monotone, MoreBytesTakeNoLess) {
  for_each_plain([](MachineConfig machine, const Group& group, CollectiveTask task,
                    const std::string& algorithm, const std::string& what) {
    machine.collectives.slices = machine.collectives.ring_slices = 2;
    machine.collectives.min_slice_bytes = 1;  // as many slices for every size
    const Scene scene(machine, group);
    double last = 0;
    for (std::uint64_t bytes = 64; bytes <= 1 << 30; bytes = bytes * 17 + 1) {
      task.bytes = bytes;
      const double now = time_of(scene, task, algorithm);
      EXPECT_GE(now, last * (1 - allowed_dip(what))) << what << ' ' << bytes;
      last = now;
    }
  });
}

TEST(Monotone, LongerStepsTakeNoLess) {
  for_each_plain([](MachineConfig machine, const Group& group, CollectiveTask task,
                    const std::string& algorithm, const std::string& what) {
    for (const std::uint64_t bytes : {4096ULL, 1ULL << 24}) {
      task.bytes = bytes;
      const Schedule schedule = Scene(machine, group).schedule(task, algorithm);
      double last = 0;
      for (const std::uint64_t ns : {0, 100, 700, 1500, 1600}) {
        machine.collectives.step_latency = nanoseconds(ns);
        const double now = static_cast<double>(Scene(machine, group).run(schedule).time.count());
        EXPECT_GE(now, last * (1 - allowed_dip(what))) << what << ' ' << bytes << " B, " << ns << " ns";
        last = now;
      }
    }
  });
}

TEST(Monotone, FasterLinksTakeNoMore) {
  for_each_plain([](MachineConfig machine, const Group& group, CollectiveTask task,
                    const std::string& algorithm, const std::string& what) {
    for (const std::uint64_t bytes : {4096ULL, 1ULL << 24}) {
      task.bytes = bytes;
      const Schedule schedule = Scene(machine, group).schedule(task, algorithm);
      double last = std::numeric_limits<double>::infinity();
      for (const std::uint64_t gb : {10, 128, 700}) {
        machine.fabric.port_rate = MegabytesPerSecond(gb * 1000);
        for (MegabytesPerSecond& rate : machine.fabric.link_rates) rate = MegabytesPerSecond(gb * 1000);
        const double now = static_cast<double>(Scene(machine, group).run(schedule).time.count());
        EXPECT_LE(now, last) << what << ' ' << bytes << " B, " << gb << " GB/s";
        last = now;
      }
    }
  });
}

}  // namespace
}  // namespace trn
