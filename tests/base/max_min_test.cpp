// The sharing rule: hand-made cases, an exact-rational oracle, and the properties that define max-min.
#include "base/flow/max_min.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <random>

#include "base/flow/flow_engine.h"

namespace trn {
namespace {

using Rational = boost::multiprecision::cpp_rational;

struct Instance {
  std::vector<double> capacity;
  std::vector<std::vector<FlowUse>> uses;
  std::vector<FlowDemand> flows;
};

// Small dyadic numbers: exactly the same instance in doubles and in rationals.
Instance random_instance(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint64_t n) { return random() % n; };
  Instance x;
  const std::size_t resources = 1 + pick(6);
  const std::size_t flows = 1 + pick(12);
  for (std::size_t r = 0; r < resources; ++r) x.capacity.push_back(static_cast<double>(1 + pick(64)) / 4);
  x.uses.resize(flows);
  for (std::size_t f = 0; f < flows; ++f) {
    for (std::uint32_t r = 0; r < resources; ++r)
      if (pick(2) == 0) x.uses[f].push_back({r, static_cast<double>(1 + pick(8)) / 4});
    FlowDemand demand;
    demand.weight = static_cast<double>(1 + pick(16)) / 2;
    if (x.uses[f].empty() || pick(3) == 0) demand.cap = static_cast<double>(1 + pick(32)) / 8;
    x.flows.push_back(demand);
  }
  for (std::size_t f = 0; f < flows; ++f) x.flows[f].uses = &x.uses[f];
  return x;
}

// Textbook progressive filling in exact arithmetic, one event at a time.
std::vector<Rational> oracle(const Instance& x) {
  const std::size_t n = x.flows.size();
  std::vector<Rational> rate(n);
  std::vector<bool> frozen(n);
  for (;;) {
    bool found = false;
    Rational level;
    const auto consider = [&](const Rational& candidate) {
      if (!found || candidate < level) level = candidate;
      found = true;
    };
    std::vector<std::pair<bool, Rational>> resource_level(x.capacity.size());
    for (std::size_t r = 0; r < x.capacity.size(); ++r) {
      Rational left(x.capacity[r]);
      Rational slope;
      for (std::size_t f = 0; f < n; ++f)
        for (const FlowUse& use : x.uses[f])
          if (use.resource == r) {
            if (frozen[f])
              left -= Rational(use.coefficient) * rate[f];
            else
              slope += Rational(use.coefficient) * Rational(x.flows[f].weight);
          }
      if (slope > 0) {
        resource_level[r] = {true, left / slope};
        consider(left / slope);
      }
    }
    for (std::size_t f = 0; f < n; ++f)
      if (!frozen[f] && std::isfinite(x.flows[f].cap))
        consider(Rational(x.flows[f].cap) / Rational(x.flows[f].weight));
    if (!found) return rate;
    std::vector<bool> freeze(n);
    for (std::size_t f = 0; f < n; ++f) {
      if (frozen[f]) continue;
      if (std::isfinite(x.flows[f].cap) && Rational(x.flows[f].cap) == level * Rational(x.flows[f].weight))
        freeze[f] = true;
      for (const FlowUse& use : x.uses[f])
        if (resource_level[use.resource].first && resource_level[use.resource].second == level)
          freeze[f] = true;
    }
    for (std::size_t f = 0; f < n; ++f)
      if (freeze[f]) {
        frozen[f] = true;
        rate[f] = level * Rational(x.flows[f].weight);
      }
  }
}

TEST(MaxMin, EqualsTheExactOracle) {
  MaxMinSolver solver;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Instance x = random_instance(seed);
    const std::vector<FlowShare>& shares = solver.solve(x.capacity, x.flows);
    const std::vector<Rational> exact = oracle(x);
    for (std::size_t f = 0; f < exact.size(); ++f) {
      const double expected = exact[f].convert_to<double>();
      ASSERT_NEAR(shares[f].rate, expected, 1e-12 * expected) << "seed " << seed << " flow " << f;
    }
  }
}

// Feasible; and every flow is either at its cap or crosses a full resource on which no flow has a larger
// rate/weight: nobody can gain without a poorer one losing.
TEST(MaxMin, IsFeasibleMaximalAndFair) {
  MaxMinSolver solver;
  for (std::uint64_t seed = 5000; seed < 7000; ++seed) {
    const Instance x = random_instance(seed);
    const std::vector<FlowShare> shares = solver.solve(x.capacity, x.flows);
    std::vector<double> used(x.capacity.size());
    std::vector<double> richest(x.capacity.size());
    for (std::size_t f = 0; f < shares.size(); ++f)
      for (const FlowUse& use : x.uses[f]) {
        used[use.resource] += use.coefficient * shares[f].rate;
        richest[use.resource] = std::max(richest[use.resource], shares[f].rate / x.flows[f].weight);
      }
    for (std::size_t r = 0; r < used.size(); ++r) ASSERT_LE(used[r], x.capacity[r] * (1 + 1e-12)) << seed;
    for (std::size_t f = 0; f < shares.size(); ++f) {
      bool limited = shares[f].rate >= x.flows[f].cap * (1 - 1e-12);
      for (const FlowUse& use : x.uses[f])
        limited = limited || (used[use.resource] >= x.capacity[use.resource] * (1 - 1e-12) &&
                              shares[f].rate / x.flows[f].weight >= richest[use.resource] * (1 - 1e-12));
      EXPECT_TRUE(limited) << "seed " << seed << " flow " << f;
    }
  }
}

TEST(MaxMin, DoesNotDependOnTheOrderOfFlows) {
  MaxMinSolver solver;
  for (std::uint64_t seed = 9000; seed < 9500; ++seed) {
    const Instance x = random_instance(seed);
    const std::vector<FlowShare> forward = solver.solve(x.capacity, x.flows);
    const std::vector<FlowDemand> reversed(x.flows.rbegin(), x.flows.rend());
    const std::vector<FlowShare> backward = solver.solve(x.capacity, reversed);
    for (std::size_t f = 0; f < forward.size(); ++f)
      EXPECT_NEAR(forward[f].rate, backward[forward.size() - 1 - f].rate, 1e-12 * forward[f].rate);
  }
}

// One resource of 10, classes 0 and 1: the first takes what its cap allows (4), the second the rest (6).
TEST(MaxMin, ALowerClassSeesWhatTheHigherLeaves) {
  const std::vector<FlowUse> use{{0, 1.0}};
  FlowDemand high;
  high.cap = 4;
  high.uses = &use;
  FlowDemand low;
  low.priority = 1;
  low.uses = &use;
  MaxMinSolver solver;
  const std::vector<FlowShare>& shares = solver.solve({10.0}, {low, high});
  EXPECT_DOUBLE_EQ(shares[0].rate, 6);
  EXPECT_DOUBLE_EQ(shares[1].rate, 4);
  EXPECT_EQ(shares[1].binding, kOwnCap);
}

// Link of 1 B/ps. A: 1000 B alone until 500 ps (500 B left); then A and B (300 B) share: B needs 600 ps, ends
// at 1100; A has 500 - 300 = 200 B left and ends at 1300.
TEST(FlowEngine, SharesOverTime) {
  FlowEngine engine;
  const std::uint32_t link = engine.add_resource("link", 1.0);
  const FlowId a = engine.start(Picoseconds(0), {Bytes(1000), 1, 1e300, 0, {{link, 1.0}}});
  EXPECT_EQ(engine.next_completion(Picoseconds(0)), Picoseconds(1000));
  const FlowId b = engine.start(Picoseconds(500), {Bytes(300), 1, 1e300, 0, {{link, 1.0}}});
  std::vector<FlowId> done;
  ASSERT_EQ(engine.next_completion(Picoseconds(500)), Picoseconds(1100));
  engine.take_completed(Picoseconds(1100), done);
  EXPECT_EQ(done, std::vector<FlowId>{b});
  ASSERT_EQ(engine.next_completion(Picoseconds(1100)), Picoseconds(1300));
  engine.take_completed(Picoseconds(1300), done);
  EXPECT_EQ(done, std::vector<FlowId>{a});
  EXPECT_FALSE(engine.next_completion(Picoseconds(1300)).has_value());
  EXPECT_DOUBLE_EQ(engine.report()[link].units_moved, 1300);
}

// As above, and C (100 B) alone from 2000 ps on. The link binds A for 1300 ps, B for 600 and C for 100,
// together 2000; at least one of them for 1300 + 100. C is not watched, B neither.
TEST(FlowEngine, CountsTheTimeAResourceBindsOnce) {
  FlowEngine engine;
  const std::uint32_t link = engine.add_resource("link", 1.0);
  FlowWatch watch{link, 0, 0};
  std::vector<FlowId> done;
  engine.start(Picoseconds(0), {Bytes(1000), 1, 1e300, 0, {{link, 1.0}}, &watch});
  engine.next_completion(Picoseconds(0));
  engine.start(Picoseconds(500), {Bytes(300), 1, 1e300, 0, {{link, 1.0}}, nullptr});
  engine.next_completion(Picoseconds(500));
  for (const std::uint64_t at : {1100, 1300}) {
    engine.take_completed(Picoseconds(at), done);
    engine.next_completion(Picoseconds(at));
  }
  engine.start(Picoseconds(2000), {Bytes(100), 1, 1e300, 0, {{link, 1.0}}, nullptr});
  engine.next_completion(Picoseconds(2000));
  engine.take_completed(Picoseconds(2100), done);
  EXPECT_DOUBLE_EQ(engine.report()[link].bound_picoseconds, 2000);
  EXPECT_EQ(engine.report()[link].binding, Picoseconds(1400));
  EXPECT_EQ(engine.active_time(), Picoseconds(1400));
  EXPECT_DOUBLE_EQ(watch.picoseconds, 1300);
  EXPECT_DOUBLE_EQ(watch.bytes, 1000);
}

// A bus of 12 bytes/ps whose turns cost 0.2 of a byte's time. One way only: 12. Half and half: each byte
// takes 1.2, 10 in all. Reads with three times the weight of writes: a quarter are writes, 2 * 1/4 = half of
// the turns, 1.1 a byte, 12 / 1.1 in all. With room to spare turning costs nothing.
TEST(FlowEngine, ABusPaysForTurningAround) {
  const auto rates = [](double read_weight, double cap) {
    FlowEngine engine;
    const std::uint32_t bus = engine.add_resource("bus", 12);
    FlowSpec read{Bytes(1'000'000), read_weight, cap, 0, {{bus, 1.0, 0.2, 0, 1.0}}};
    FlowSpec write{Bytes(1'000'000), 1, cap, 0, {{bus, 1.0, 0.2, 1, 1.0}}};
    const FlowId r = engine.start(Picoseconds(0), read);
    engine.next_completion(Picoseconds(0));
    EXPECT_DOUBLE_EQ(engine.rate(r), std::min(12.0, cap));
    const FlowId w = engine.start(Picoseconds(0), write);
    engine.next_completion(Picoseconds(0));
    return std::pair{engine.rate(r), engine.rate(w)};
  };
  const double none = std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(rates(1, none).first, 5);
  EXPECT_DOUBLE_EQ(rates(1, none).second, 5);
  EXPECT_DOUBLE_EQ(rates(3, none).first, 0.75 * 12 / 1.1);
  EXPECT_DOUBLE_EQ(rates(3, none).second, 0.25 * 12 / 1.1);
  EXPECT_DOUBLE_EQ(rates(1, 4).first, 4);
}

// Bytes are conserved and no resource is used above its capacity, over random starts.
TEST(FlowEngine, ConservesBytes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    FlowEngine engine;
    for (int r = 0; r < 4; ++r) engine.add_resource("r", static_cast<double>(1 + random() % 8) / 4);
    std::vector<double> expected(4);
    Picoseconds now;
    std::vector<FlowId> done;
    int left = 40;
    for (;;) {
      const Picoseconds start = now + Picoseconds(random() % 400);
      std::optional<Picoseconds> next = engine.next_completion(now);
      if (left > 0 && (!next || start < *next)) {
        now = start;
        FlowSpec spec{Bytes(1 + random() % 5000), static_cast<double>(1 + random() % 4), 1e300, 0, {}};
        for (std::uint32_t r = 0; r < 4; ++r)
          if (random() % 2 == 0 || (r == 3 && spec.uses.empty()))
            spec.uses.push_back({r, static_cast<double>(1 + random() % 3)});
        for (const FlowUse& use : spec.uses)
          expected[use.resource] += use.coefficient * static_cast<double>(spec.bytes.count());
        engine.start(now, spec);
        --left;
      } else if (next) {
        now = *next;
        engine.take_completed(now, done);
      } else {
        break;
      }
    }
    for (std::uint32_t r = 0; r < 4; ++r) {
      EXPECT_NEAR(engine.report()[r].units_moved, expected[r], 1e-9 * expected[r]);
      EXPECT_LE(expected[r], engine.report()[r].capacity * static_cast<double>(now.count()) * (1 + 1e-9));
    }
  }
}

}  // namespace
}  // namespace trn
