// What a change reaches is all that is solved again, and nothing else is different from solving everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/flow/flow_engine.h"

namespace trn {
namespace {

struct Machine {
  std::vector<double> capacity;
  std::vector<FlowShape> shapes;
};

struct Kind {
  std::uint32_t resources = 40;
  std::size_t shapes = 120;
  bool alike = false;    // as in a machine: many levels are equal
  bool urgent = false;   // a few flows are served before all others
  bool turning = false;  // a few flows pay for turning around
};

Machine random_machine(std::uint64_t seed, const Kind& kind) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint64_t n) { return random() % n; };
  Machine m;
  for (std::uint32_t r = 0; r < kind.resources; ++r)
    m.capacity.push_back(kind.alike ? 1.0 : static_cast<double>(1 + pick(30)) / 7);
  m.shapes.resize(kind.shapes);
  for (FlowShape& shape : m.shapes) {
    shape.weight = kind.alike ? 4096 : static_cast<double>(1 + pick(9));
    if (kind.urgent) shape.priority = pick(60) == 0 ? 0 : 1;
    if (pick(4) == 0) shape.cap = static_cast<double>(1 + pick(9)) / 41;
    // Neighbours: what changes in one place is far from most others.
    const auto first = static_cast<std::uint32_t>(pick(kind.resources));
    const std::uint64_t uses = 1 + pick(4);
    const bool turns = kind.turning && pick(60) == 0;
    for (std::uint32_t u = 0; u < uses; ++u) {
      const std::uint32_t r = (first + u * static_cast<std::uint32_t>(1 + pick(3))) % kind.resources;
      const auto there = [&](const FlowUse& use) { return use.resource == r; };
      if (std::any_of(shape.uses.begin(), shape.uses.end(), there)) continue;
      shape.uses.push_back({r, kind.alike ? 1.0 : static_cast<double>(1 + pick(5)) / 3, turns ? 0.2 : 0,
                            static_cast<double>(pick(3)) / 2, 1});
    }
  }
  return m;
}

std::vector<FlowShare> filled_anew(const Machine& m, const std::vector<std::uint32_t>& active) {
  TurningSolver solver;
  for (const double capacity : m.capacity) solver.add_resource(capacity, {});
  std::vector<FlowDemand> demands;
  for (std::size_t s = 0; s < m.shapes.size(); ++s)
    if (active[s] > 0)
      demands.push_back({m.shapes[s].weight, m.shapes[s].cap, m.shapes[s].priority, &m.shapes[s].uses,
                         static_cast<double>(active[s])});
  TurningSolver::Result result;
  solver.solve(demands, result);
  return result.shares;
}

struct History {
  std::vector<std::uint64_t> ends;  // by start, picoseconds
  std::uint64_t sweeps = 0;
  std::vector<double> units;  // by resource
};

// `compare`: each rate after each event with those found by filling everything anew.
History run(const Machine& m, std::uint64_t seed, FlowEngine::Reach reach, bool compare) {
  constexpr std::size_t kStarts = 120;
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint64_t n) { return random() % n; };
  FlowEngine engine(reach);
  for (const double capacity : m.capacity) engine.add_resource("r", capacity);
  std::vector<FlowClassId> classes;
  for (const FlowShape& shape : m.shapes) classes.push_back(engine.intern(shape));

  struct Start {
    Picoseconds at;
    std::size_t shape;
    Bytes bytes;
    bool single;
  };
  std::vector<Start> starts;
  Picoseconds at;
  while (starts.size() < kStarts) {
    for (std::uint64_t i = 1 + pick(3); i > 0; --i)
      starts.push_back({at, pick(m.shapes.size()), Bytes(1 + pick(2000)), pick(10) == 0});
    at += Picoseconds(pick(2) * pick(100));
  }
  History history;
  history.ends.resize(starts.size());
  std::vector<std::uint32_t> active(m.shapes.size());
  std::vector<std::size_t> start_of(starts.size());
  std::vector<char> running(starts.size());  // by flow
  std::vector<FlowId> done;
  Picoseconds now;
  for (std::size_t next = 0;;) {
    const std::optional<Picoseconds> end = engine.next_completion(now);
    if (compare) {
      const std::vector<FlowShare> shares = filled_anew(m, active);
      std::vector<double> used(m.capacity.size());
      std::vector<double> rate(m.shapes.size());
      for (std::size_t s = 0, i = 0; s < m.shapes.size(); ++s)
        if (active[s] > 0) rate[s] = shares[i++].rate;
      for (FlowId flow = 0; flow < running.size(); ++flow) {
        if (!running[flow]) continue;
        const std::size_t s = starts[start_of[flow]].shape;
        EXPECT_NEAR(engine.rate(flow), rate[s], 1e-9 * rate[s]) << "seed " << seed << " at " << now.count();
        for (const FlowUse& use : m.shapes[s].uses) used[use.resource] += use.coefficient * engine.rate(flow);
      }
      for (std::size_t r = 0; r < used.size(); ++r)
        EXPECT_LE(used[r], m.capacity[r] * (1 + 1e-12)) << "seed " << seed << " resource " << r;
    }
    if (next == starts.size() && !end) break;
    if (end && (next == starts.size() || *end <= starts[next].at)) {
      now = *end;
      engine.take_completed(now, done);
      for (const FlowId flow : done) {
        history.ends[start_of[flow]] = now.count();
        running[flow] = 0;
        --active[starts[start_of[flow]].shape];
      }
      continue;
    }
    now = starts[next].at;
    for (; next < starts.size() && starts[next].at == now; ++next) {
      const Start& s = starts[next];
      const FlowShape& shape = m.shapes[s.shape];
      const FlowId flow =
          s.single ? engine.start(now, FlowSpec{s.bytes, shape.weight, shape.cap, shape.priority, shape.uses})
                   : engine.start(now, classes[s.shape], s.bytes);
      start_of[flow] = next;
      running[flow] = 1;
      ++active[s.shape];
    }
  }
  history.sweeps = engine.sweeps();
  for (const ResourceReport& r : engine.report()) {
    EXPECT_LE(r.units_moved, r.capacity * static_cast<double>(now.count()) * (1 + 1e-12));
    history.units.push_back(r.units_moved);
  }
  return history;
}

void expect_same_as_everything(const Kind& kind, std::uint64_t first_seed, std::uint64_t seeds) {
  std::uint64_t sweeps = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
    const Machine m = random_machine(seed, kind);
    const History reached = run(m, seed, FlowEngine::Reach::kChanged, true);
    const History whole = run(m, seed, FlowEngine::Reach::kComponent, false);
    sweeps += reached.sweeps;
    EXPECT_EQ(whole.sweeps, 0);
    for (std::size_t i = 0; i < whole.ends.size(); ++i)
      ASSERT_LE(std::abs(static_cast<std::int64_t>(reached.ends[i] - whole.ends[i])), 10)
          << "seed " << seed << " flow " << i;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(sweeps, seeds);
}

TEST(LevelSweep, EqualsFillingEverythingAnew) { expect_same_as_everything({}, 0, 500); }

TEST(LevelSweep, EqualsItWhereManyLevelsAreEqual) {
  Kind kind;
  kind.alike = true;
  expect_same_as_everything(kind, 1000, 500);
}

TEST(LevelSweep, EqualsItWhereManyShareFewResources) {
  Kind kind;
  kind.resources = 5;
  expect_same_as_everything(kind, 2000, 500);
}

// While some flow is more urgent than others, or pays for turning around, whole components are solved.
TEST(LevelSweep, GivesWayToPrioritiesAndBack) {
  Kind kind;
  kind.urgent = true;
  expect_same_as_everything(kind, 3000, 300);
}

TEST(LevelSweep, GivesWayToTurningAroundAndBack) {
  Kind kind;
  kind.turning = true;
  expect_same_as_everything(kind, 4000, 300);
}

TEST(LevelSweep, TheSameHistoryGivesTheSameBits) {
  for (std::uint64_t seed = 5000; seed < 5050; ++seed) {
    const Machine m = random_machine(seed, {});
    const History a = run(m, seed, FlowEngine::Reach::kChanged, false);
    const History b = run(m, seed, FlowEngine::Reach::kChanged, false);
    EXPECT_EQ(a.ends, b.ends);
    EXPECT_EQ(a.units, b.units);
  }
}

// A chain of links of 1: flow i uses links i and i + 1, so that all flows get a half and every link is full
// but the first and the last. One more flow on the first link, with a cap of a quarter, fits in beside flow
// 0. Without a cap it gets the other half: the link is full, and now holds back flow 0 as much as the next
// link does. With two of them, each of the three gets a third; flow 1 could have more of link 1 then, but
// link 2 still holds it back.
TEST(LevelSweep, ReachesNoFurtherThanTheChange) {
  const auto reached = [](double cap, int more) {
    FlowEngine engine;
    std::vector<FlowId> flows;
    for (int link = 0; link < 101; ++link) engine.add_resource("link", 1.0);
    for (std::uint32_t i = 0; i < 100; ++i)
      flows.push_back(engine.start(Picoseconds(0), {Bytes(1000), 1, 1e300, 0, {{i, 1.0}, {i + 1, 1.0}}}));
    engine.next_completion(Picoseconds(0));
    for (int i = 0; i < more; ++i) engine.start(Picoseconds(0), {Bytes(1000), 1, cap, 0, {{0, 1.0}}});
    engine.next_completion(Picoseconds(0));
    EXPECT_DOUBLE_EQ(engine.rate(flows[0]), more == 1 ? 0.5 : 1.0 / 3);
    EXPECT_DOUBLE_EQ(engine.rate(flows[1]), 0.5);
    return engine.reached();
  };
  EXPECT_EQ(reached(0.25, 1), 1);
  EXPECT_EQ(reached(1e300, 1), 2);
  EXPECT_EQ(reached(1e300, 2), 4);
}

}  // namespace
}  // namespace trn
