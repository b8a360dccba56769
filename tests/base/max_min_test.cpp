// The sharing rule: hand-made cases, an exact-rational oracle, and the properties that define max-min.
#include "base/flow/max_min.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <random>

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

// Three flows of weight 0.1 fill a resource of 0.3, but for rounding: nothing is left for the next class, not
// even 1e-17, at which a flow would end in ages.
TEST(MaxMin, AFullResourceLeavesNothing) {
  const std::vector<FlowUse> use{{0, 1.0}};
  std::vector<FlowDemand> flows(4);
  for (FlowDemand& flow : flows) {
    flow.weight = 0.1;
    flow.uses = &use;
  }
  flows[3].priority = 1;
  MaxMinSolver solver;
  for (const double capacity : {0.3, 0.7, 1.1}) EXPECT_EQ(solver.solve({capacity}, flows)[3].rate, 0);
}

// Three flows alike and one besides, on a resource of 8: as four flows, 2 each.
TEST(MaxMin, AlikeFlowsCountAsOftenAsThereAre) {
  const std::vector<FlowUse> use{{0, 1.0}};
  FlowDemand three;
  three.uses = &use;
  three.count = 3;
  FlowDemand one;
  one.uses = &use;
  MaxMinSolver solver;
  const std::vector<FlowShare>& shares = solver.solve({8.0}, {three, one});
  EXPECT_DOUBLE_EQ(shares[0].rate, 2);
  EXPECT_DOUBLE_EQ(shares[1].rate, 2);
}

}  // namespace
}  // namespace trn
