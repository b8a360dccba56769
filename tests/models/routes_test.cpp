// Routes: nothing lost on the way, nothing longer than needed, and the loads that a pencil gives.
#include "models/interconnect/routing/routes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "base/error.h"
#include "tests/support/shapes.h"

namespace trn {
namespace {

// Chips with switches between them and cables thrown at random; some fall apart and are thrown again.
Topology random_machine(std::mt19937_64& random) {
  for (;;) {
    FabricConfig f;
    f.kind = FabricKind::kGraph;
    f.graph_chips = 2 + random() % 8;
    for (std::uint64_t s = random() % 5; s > 0; --s) f.graph_switches.push_back("s" + std::to_string(s));
    const std::uint64_t vertices = f.graph_chips + f.graph_switches.size();
    for (std::uint64_t i = 0; i < 2 * vertices; ++i) {
      GraphCable cable{};
      cable.from = static_cast<std::uint32_t>(random() % vertices);
      cable.to = static_cast<std::uint32_t>(random() % vertices);
      cable.rate = MegabytesPerSecond(std::uint64_t{1000} << random() % 8);
      cable.latency = nanoseconds(random() % 500);
      cable.count = 1 + random() % 3;
      cable.both_ways = random() % 4 != 0;
      if (cable.from != cable.to) f.graph_cables.push_back(cable);
    }
    try {
      return Topology(f);
    } catch (const ConfigError&) {
    }
  }
}

// Hops between all vertices by Floyd and Warshall: nothing in common with the breadth-first search.
std::vector<std::vector<std::uint32_t>> all_hops(const Topology& t) {
  const std::size_t n = t.vertices();
  std::vector<std::vector<std::uint32_t>> d(n, std::vector<std::uint32_t>(n, 1'000'000));
  for (std::size_t v = 0; v < n; ++v) d[v][v] = 0;
  for (const Link& l : t.links()) d[l.from][l.to] = 1;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) d[a][b] = std::min(d[a][b], d[a][k] + d[k][b]);
  return d;
}

// What flows into a vertex flows out of it; the sender has one more out, the receiver one more in.
void expect_conserved(const Topology& t, const Route& route, std::uint64_t from, std::uint64_t to) {
  std::vector<double> surplus(t.vertices());
  std::uint32_t last = 0;
  for (const LinkLoad& load : route.loads) {
    EXPECT_GT(load.share, 0);
    EXPECT_TRUE(last == 0 || load.link > last) << "sorted, each link once";
    last = load.link;
    surplus[t.links()[load.link].from] += load.share;
    surplus[t.links()[load.link].to] -= load.share;
  }
  for (std::size_t v = 0; v < t.vertices(); ++v)
    EXPECT_NEAR(surplus[v], v == from ? 1 : v == to ? -1 : 0, 1e-9) << "at " << t.vertex_name(v);
}

double total(const Route& route) {
  double sum = 0;
  for (const LinkLoad& load : route.loads) sum += load.share;
  return sum;
}

TEST(Routes, ConserveBytesAndTakeNoDetourOnRandomGraphs) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 400; ++i) {
    const Topology t = random_machine(random);
    const Routes routes(t);
    const auto hops = all_hops(t);
    std::uint32_t diameter = 0;
    for (std::uint64_t from = 0; from < t.chips(); ++from) {
      for (std::uint64_t to = 0; to < t.chips(); ++to) {
        const Route& route = routes.between(from, to);
        if (from == to) {
          EXPECT_TRUE(route.loads.empty());
          continue;
        }
        expect_conserved(t, route, from, to);
        EXPECT_EQ(route.hops, hops[from][to]);
        EXPECT_NEAR(total(route), hops[from][to], 1e-9);  // every byte takes so many links
        diameter = std::max(diameter, hops[from][to]);
      }
    }
    EXPECT_EQ(t.diameter(), diameter);
  }
}

TEST(Routes, ConserveBytesOnEveryNamedShape) {
  for (const char* name :
       {"trn1:instance", "trn2:ultraserver", "trn2:ultraserver-2node", "inf2:instance", "trn3:server",
        "trn3:gen1", "trn3:us4", "trn2:configs/topologies/irregular.json",
        "trn2:configs/topologies/fat-tree-32.json", "trn2:configs/topologies/twisted-torus-8x4x4.json"}) {
    const Topology t(named_shape(name));
    const Routes routes(t);
    const auto hops = all_hops(t);
    for (std::uint64_t from = 0; from < t.chips(); from += 3)
      for (std::uint64_t to = 0; to < t.chips(); ++to) {
        if (from == to) continue;
        expect_conserved(t, routes.between(from, to), from, to);
        EXPECT_EQ(routes.between(from, to).hops, hops[from][to]) << name;
      }
  }
}

// Bytes over each link of a class, when every chip sends one byte spread evenly over all chips; the links of
// a class must carry the same.
std::map<std::string, double> all_to_all_loads(const Topology& t) {
  const Routes routes(t);
  std::vector<double> bytes(t.links().size());
  for (std::uint64_t from = 0; from < t.chips(); ++from)
    for (std::uint64_t to = 0; to < t.chips(); ++to)
      for (const LinkLoad& load : routes.between(from, to).loads)
        bytes[load.link] += load.share / static_cast<double>(t.chips());
  std::map<std::string, double> out;
  for (std::size_t l = 0; l < bytes.size(); ++l) {
    const auto [at, fresh] = out.try_emplace(t.classes()[t.links()[l].link_class].name, bytes[l]);
    EXPECT_NEAR(at->second, bytes[l], 1e-9) << at->first;
  }
  return out;
}

// On a ring of four the offsets 0..3 take 0, 1, 1 (half of the two hops) and 0 links forward: half a byte a
// link, in every dimension. Z at 64 GB/s: S/128 a direction.
TEST(Routes, AllToAllOnTheUltraServerLoadsEveryLinkAlike) {
  const Topology t(named_shape("trn2:ultraserver"));
  for (const auto& [name, load] : all_to_all_loads(t)) EXPECT_NEAR(load, 0.5, 1e-9) << name;
}

// Bytes over a gen2 link, of one byte a chip over 144 chips. The cable takes what goes to the other rack:
// 72/144. Inside a rack, and each way counts in either: 17 trays other at the same position and 51 at another
// take the plane, 3 + 51 the tray switch. Two racks: plane 2 x 68 = 136, tray 2 x 54 = 108 of 144. 1 MiB at
// 128 GB/s: 0.5 MiB take 4.096 us; plane at 320/512/640: 3.095, 1.934, 1.547; tray at 256/512/512:
// 3.072, 1.536, 1.536.
TEST(Routes, AllToAllOnGen2MatchesTheCountByHand) {
  struct Case {
    const char* preset;
    double plane, tray;
  };
  for (const Case& c : {Case{"official_links", 3.095, 3.072}, Case{"press_active", 1.934, 1.536},
                        Case{"headline", 1.547, 1.536}}) {
    const Topology t(named_shape("trn3:gen2", {std::string("shapes.gen2.links=") + c.preset}));
    const auto loads = all_to_all_loads(t);
    const auto us = [&](const std::string& name) {
      for (const LinkClass& k : t.classes())
        if (k.name == name) return loads.at(name) * 1048576 / k.rate * 1e-6;
      return 0.0;
    };
    EXPECT_NEAR(us("cross cable"), 4.096, 1e-3);
    EXPECT_NEAR(us("rack up"), c.plane, 1e-3);
    EXPECT_NEAR(us("rack down"), c.plane, 1e-3);
    EXPECT_NEAR(us("tray up"), c.tray, 1e-3);
    EXPECT_NEAR(us("tray down"), c.tray, 1e-3);
  }
}

// The symmetry argument of the balanced rule, on everything that has symmetries.
TEST(Routes, BalancedRoutesLoadTheLinksOfAClassAlike) {
  for (const char* name :
       {"trn3:us18", "trn3:server", "trn2:configs/topologies/twisted-torus-8x4x4.json",
        "trn2:configs/topologies/fat-tree-32.json", "trn2:configs/topologies/fully-connected-8.json"})
    all_to_all_loads(Topology(named_shape(name)));
  const Topology t(named_shape("trn3:gen2", {"shapes.gen2.routing=balanced"}));
  EXPECT_NEAR(all_to_all_loads(t).at("cross cable"), 0.5, 1e-9);
}

std::map<std::uint64_t, double> between(const Topology& t, const Route& route) {
  std::map<std::uint64_t, double> out;  // from * 1000 + to
  for (const LinkLoad& load : route.loads)
    out[t.links()[load.link].from * 1000 + t.links()[load.link].to] += load.share;
  return out;
}

// Ring of four, 0 to 2: half each way, two hops of 200 ns.
TEST(Routes, HalfWayOffsetsGoBothWays) {
  FabricConfig ring = shape_of(R"({"kind": "ring", "chips": 4, "link_mb_per_s": 1, "hop_latency_ns": 200})");
  for (const Routing routing : {Routing::kDimensionOrder, Routing::kBalanced}) {
    ring.routing = routing;
    const Topology t(ring);
    const Route route = Routes(t).between(0, 2);
    EXPECT_EQ(between(t, route),
              (std::map<std::uint64_t, double>{{1, 0.5}, {1002, 0.5}, {3, 0.5}, {3002, 0.5}}));
    EXPECT_EQ(route.latency, nanoseconds(400));
    EXPECT_EQ(route.hops, 2u);
  }
}

// 4 x 4 from (0, 0) to (1, 1), number 5: the last dimension first, by (0, 1), number 1; balanced: either way.
TEST(Routes, DimensionOrderTakesTheLastFirst) {
  FabricConfig torus = named_shape("trn2:instance");
  const Topology ordered(torus);
  EXPECT_EQ(between(ordered, Routes(ordered).between(0, 5)),
            (std::map<std::uint64_t, double>{{1, 1}, {1005, 1}}));
  torus.routing = Routing::kBalanced;
  const Topology balanced(torus);
  EXPECT_EQ(between(balanced, Routes(balanced).between(0, 5)),
            (std::map<std::uint64_t, double>{{1, 0.5}, {1005, 0.5}, {4, 0.5}, {4005, 0.5}}));
}

// Chip 0 to chip 76: rack 1, tray 1, the same position. Twin first: cable 0 > 72, then up and down rack 1's
// plane 0; twin last: rack 0's plane to chip 4, then its cable.
TEST(Routes, TheCableBetweenRacksIsTakenWhereThePolicySays) {
  const auto crossing = [](const std::string& policy) {
    const Topology t(named_shape("trn3:gen2", {"shapes.gen2.routing=" + policy}));
    const Route route = Routes(t).between(0, 76);
    EXPECT_EQ(route.hops, 3u);
    EXPECT_EQ(route.latency, nanoseconds(450));
    std::map<std::uint64_t, double> cables;
    for (const LinkLoad& load : route.loads)
      if (t.links()[load.link].from < 144 && t.links()[load.link].to < 144)
        cables[t.links()[load.link].from] = load.share;
    return cables;
  };
  EXPECT_EQ(crossing("twin_first"), (std::map<std::uint64_t, double>{{0, 1}}));
  EXPECT_EQ(crossing("twin_last"), (std::map<std::uint64_t, double>{{4, 1}}));
  EXPECT_EQ(crossing("split"), (std::map<std::uint64_t, double>{{0, 0.5}, {4, 0.5}}));
}

// Three cables of 100 and one of 300 MB/s are as six: half of the bytes on the fat one. Behind switch "b"
// lies twice the capacity of "a": two thirds go there.
TEST(Routes, SharesFollowTheRatesOfParallelCables) {
  const Topology t(shape_of(R"({"kind": "graph", "chips": 2, "links": [
      {"from": 0, "to": 1, "mb_per_s": 100, "latency_ns": 0, "count": 3},
      {"from": 0, "to": 1, "mb_per_s": 300, "latency_ns": 7}]})"));
  const Route route = Routes(t).between(0, 1);
  ASSERT_EQ(route.loads.size(), 4u);
  for (const LinkLoad& load : route.loads)
    EXPECT_NEAR(load.share, t.rate(load.link) > 2e-4 ? 1.0 / 2 : 1.0 / 6, 1e-12);
  EXPECT_EQ(route.latency, nanoseconds(7));
  const Topology fork(shape_of(R"({"kind": "graph", "chips": 2, "switches": ["a", "b"], "links": [
      {"from": 0, "to": "a", "mb_per_s": 100, "latency_ns": 0}, {"from": 0, "to": "b", "mb_per_s": 100, "latency_ns": 0},
      {"from": "a", "to": 1, "mb_per_s": 100, "latency_ns": 0}, {"from": "b", "to": 1, "mb_per_s": 200, "latency_ns": 0}]})"));
  EXPECT_NEAR(between(fork, Routes(fork).between(0, 1)).at(3), 2.0 / 3, 1e-12);
}

// 0 to 1 without their cable: three hops, by the rows beside (0-4-5-1, 0-12-13-1) or the long way round the
// row (0-3-2-1): three paths, a third each.
TEST(Routes, LeadAroundABrokenCable) {
  FabricConfig torus = named_shape("trn2:instance");
  torus.faults = {{"0-1", 0}};
  const Topology t(torus);
  const Route route = Routes(t).between(0, 1);
  EXPECT_EQ(route.hops, 3u);
  ASSERT_EQ(route.loads.size(), 9u);
  for (const LinkLoad& load : route.loads) EXPECT_NEAR(load.share, 1.0 / 3, 1e-12);
}

// A ring of 4096: weights over 2048 hops stay in the range of a double.
TEST(Routes, ReachAcrossTheLargestMachines) {
  FabricConfig ring = shape_of(R"({"kind": "ring", "chips": 4096, "link_mb_per_s": 7, "hop_latency_ns": 1})");
  ring.routing = Routing::kBalanced;
  const Topology t(ring);
  const Route route = Routes(t).between(0, 2048);
  EXPECT_EQ(route.hops, 2048u);
  EXPECT_NEAR(total(route), 2048, 1e-6);
}

}  // namespace
}  // namespace trn
