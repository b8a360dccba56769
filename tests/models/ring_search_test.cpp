// Rings on graphs: how many there are is counted by hand, that they are rings is checked on each.
#include "models/interconnect/topology/ring_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

namespace trn {
namespace {

struct Graph {
  std::uint32_t members;
  std::vector<RingEdge> edges;
};

// `rates` by dimension. A dimension of two has one cable, not two.
Graph torus(const std::vector<std::uint32_t>& sizes, const std::vector<double>& rates) {
  Graph graph{1, {}};
  for (const std::uint32_t size : sizes) graph.members *= size;
  for (std::uint32_t member = 0; member < graph.members; ++member)
    for (std::uint32_t d = 0, stride = 1; d < sizes.size(); stride *= sizes[d++]) {
      const std::uint32_t at = member / stride % sizes[d];
      const std::uint32_t next = member - at * stride + (at + 1) % sizes[d] * stride;
      if (sizes[d] > 2 || at == 0) graph.edges.push_back({member, next, rates[d]});
    }
  return graph;
}

Graph complete(std::uint32_t members) {
  Graph graph{members, {}};
  for (std::uint32_t a = 0; a < members; ++a)
    for (std::uint32_t b = a + 1; b < members; ++b) graph.edges.push_back({a, b, 1});
  return graph;
}

// Every ring visits every member once; physical ones pass cables only and together take no more than there
// is. Returns their rates' sum.
double checked_total(const Graph& graph, const std::vector<RingOrder>& rings) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> left;
  for (const RingEdge& edge : graph.edges) left[std::minmax(edge.a, edge.b)] += edge.rate;
  double total = 0;
  for (const RingOrder& ring : rings) {
    std::vector<std::uint32_t> all(graph.members), sorted = ring.order;
    std::iota(all.begin(), all.end(), 0u);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, all);
    if (!ring.physical) continue;
    total += ring.rate;
    for (std::size_t i = 0; i < ring.order.size(); ++i) {
      const std::uint32_t a = ring.order[i], b = ring.order[(i + 1) % ring.order.size()];
      EXPECT_GE(left[std::minmax(a, b)] -= ring.rate, -1e-6) << a << " - " << b;
    }
  }
  return total;
}

std::size_t rings_of(const Graph& graph, const RingLimits& limits = {}) {
  const std::vector<RingOrder> rings = find_rings(graph.members, graph.edges, limits);
  checked_total(graph, rings);
  for (const RingOrder& ring : rings) EXPECT_TRUE(ring.physical);
  return rings.size();
}

// Four cables a member, two for a ring: two rings use them all. Every torus of two dimensions has them.
TEST(RingSearch, EveryTorusOfTwoDimensionsIsTwoRings) {
  for (std::uint32_t a = 3; a <= 17; ++a)
    for (std::uint32_t b = a; b <= 17; ++b) EXPECT_EQ(rings_of(torus({a, b}, {1, 1})), 2u) << a << " x " << b;
}

// A member's cables: 2 x 2 + 2 x 2 + 2 x 1 = 10 strands of the rate of z, so five rings of that rate.
TEST(RingSearch, FourTorusesJoinedBySlowerCablesAreFiveRings) {
  const Graph graph = torus({4, 4, 4}, {0.128, 0.128, 0.064});
  const auto rings = find_rings(graph.members, graph.edges);
  EXPECT_EQ(rings.size(), 5u);
  EXPECT_NEAR(checked_total(graph, rings), 5 * 0.064, 1e-9);
}

TEST(RingSearch, ARingIsItself) {
  for (std::uint32_t n = 3; n <= 17; ++n) EXPECT_EQ(rings_of(torus({n}, {1})), 1u) << n;
}

// n - 1 cables a member, two for a ring.
TEST(RingSearch, CompleteGraphsHaveHalfTheirCablesInRings) {
  for (std::uint32_t n = 3; n <= 17; ++n) EXPECT_EQ(rings_of(complete(n)), (n - 1) / 2) << n;
  RingLimits limits;
  limits.rings = 100;
  EXPECT_EQ(rings_of(complete(144), limits), 71u);
}

// Three cables a member: one ring, and one cable left over.
TEST(RingSearch, OddNumbersOfCablesLeaveOneOver) {
  EXPECT_EQ(rings_of(torus({2, 4}, {1, 1})), 1u);
  EXPECT_EQ(rings_of(torus({2, 2, 2}, {1, 1, 1})), 1u);
}

// There and back of both directions go over the same cables: 5 + 3 shared by two.
TEST(RingSearch, TwoMembersShareTheirCablesBetweenDirections) {
  const auto rings = find_rings(2, {{0, 1, 5}, {1, 0, 3}});
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_TRUE(rings[0].physical);
  EXPECT_DOUBLE_EQ(rings[0].rate, 4);
}

// A triangle whose cables carry 3, 3 and 5: a ring of 3 and nothing that could close a second.
TEST(RingSearch, TheNarrowestCableLimitsARing) {
  const auto rings = find_rings(3, {{0, 1, 3}, {1, 2, 3}, {2, 0, 5}});
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_DOUBLE_EQ(rings[0].rate, 3);
}

// Four members with cables of 3 in a square and of 1 across: 3 + 1 + 3 = 7 a member, so three rings of 1 and
// a half left, or one of 3 and a half of 1 left. Same bytes: the one ring.
TEST(RingSearch, FewWideRingsRatherThanManyNarrow) {
  const Graph graph{4, {{0, 1, 3}, {1, 2, 3}, {2, 3, 3}, {3, 0, 3}, {0, 2, 1}, {1, 3, 1}}};
  const auto rings = find_rings(graph.members, graph.edges);
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_DOUBLE_EQ(rings[0].rate, 3);
}

// A 4 x 4 torus without one cable: its ends have three left, so one ring, or three of half the rate.
TEST(RingSearch, ABrokenCableLeavesOneRingOrThreeHalves) {
  Graph graph = torus({4, 4}, {1, 1});
  graph.edges.erase(graph.edges.begin());
  EXPECT_EQ(rings_of(graph), 1u);
  RingLimits limits;
  limits.split = 2;
  const auto rings = find_rings(graph.members, graph.edges, limits);
  EXPECT_EQ(rings.size(), 3u);
  EXPECT_DOUBLE_EQ(checked_total(graph, rings), 1.5);
}

// 36 switches of four, joined in a circle of four slower cables. Rings of 1.25 fit twice, 5 cables a member;
// a search for many narrower rings that could use more finds less, and must not win.
TEST(RingSearch, WhatIsFoundCountsRatherThanWhatCouldBe) {
  Graph graph{144, {}};
  for (std::uint32_t member = 0; member < 144; ++member) {
    for (std::uint32_t other = member + 1; other % 4 != 0; ++other) graph.edges.push_back({member, other, 2});
    graph.edges.push_back({member, (member + 4) % 144, 1.25});
  }
  EXPECT_GE(checked_total(graph, find_rings(graph.members, graph.edges)), 2.5);
}

// 127 rings could fit: the search gives up long before, with some.
TEST(RingSearch, TheSearchEnds) {
  Graph graph = complete(256);
  graph.edges.pop_back();
  RingLimits limits;
  limits.rings = 127;
  EXPECT_GT(rings_of(graph, limits), 16u);
}

// A tree is passed down and up again: every cable twice, so half its rate.
TEST(RingSearch, ATreeIsToured) {
  const auto rings = find_rings(5, {{0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {1, 4, 1}});
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_FALSE(rings[0].physical);
  EXPECT_EQ(rings[0].order.size(), 5u);
  EXPECT_DOUBLE_EQ(rings[0].rate, 0.5);
}

// Petersen's graph: three cables a member, connected, and famous for having no such cycle.
TEST(RingSearch, PetersensGraphHasNoRing) {
  Graph graph{10, {}};
  for (std::uint32_t i = 0; i < 5; ++i) {
    graph.edges.push_back({i, (i + 1) % 5, 1});
    graph.edges.push_back({i, i + 5, 1});
    graph.edges.push_back({i + 5, (i + 2) % 5 + 5, 1});
  }
  const auto rings = find_rings(graph.members, graph.edges);
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_FALSE(rings[0].physical);
}

TEST(RingSearch, MembersWithoutCablesGetAnOrderWithoutRate) {
  const auto rings = find_rings(6, {});
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_FALSE(rings[0].physical);
  EXPECT_EQ(rings[0].rate, 0);
  EXPECT_EQ(rings[0].order.size(), 6u);
  EXPECT_EQ(find_rings(1, {}).size(), 1u);
}

// Held and Karp: the ends of paths from member 0 over each set of members.
bool has_ring(const Graph& graph) {
  std::vector<std::uint32_t> next(graph.members), ends(std::size_t{1} << graph.members);
  for (const RingEdge& edge : graph.edges) {
    next[edge.a] |= 1u << edge.b;
    next[edge.b] |= 1u << edge.a;
  }
  ends[1] = 1;
  for (std::uint32_t set = 1; set < ends.size(); ++set)
    for (std::uint32_t end = 0; end < graph.members; ++end)
      if (ends[set] >> end & 1u)
        for (std::uint32_t to = 0; to < graph.members; ++to)
          if (next[end] >> to & 1u && !(set >> to & 1u)) ends[set | 1u << to] |= 1u << to;
  return (ends.back() & next[0]) != 0;
}

TEST(RingSearch, RandomGraphsHaveARingExactlyIfThereIsOne) {
  std::mt19937_64 random(7);
  int with = 0;
  for (int i = 0; i < 400; ++i) {
    Graph graph{static_cast<std::uint32_t>(3 + random() % 8), {}};
    const std::uint64_t dense = 20 + random() % 60;
    for (std::uint32_t a = 0; a < graph.members; ++a)
      for (std::uint32_t b = a + 1; b < graph.members; ++b)
        if (random() % 100 < dense) graph.edges.push_back({b, a, static_cast<double>(1 + random() % 3)});
    const auto rings = find_rings(graph.members, graph.edges);
    const double total = checked_total(graph, rings);
    EXPECT_EQ(rings[0].physical, has_ring(graph)) << "graph " << i;
    for (std::size_t r = 1; r < rings.size(); ++r) EXPECT_LE(rings[r].rate, rings[r - 1].rate);
    EXPECT_TRUE(rings[0].physical || rings.size() == 1);
    with += total > 0;
  }
  EXPECT_GT(with, 100);
  EXPECT_LT(with, 300);
}

TEST(RingSearch, SameGraphSameRings) {
  const Graph graph = torus({8, 8, 4}, {2, 2, 1});
  const auto first = find_rings(graph.members, graph.edges), again = find_rings(graph.members, graph.edges);
  ASSERT_EQ(first.size(), 5u);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].order, again[i].order);
}

}  // namespace
}  // namespace trn
