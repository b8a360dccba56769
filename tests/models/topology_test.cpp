// Machines as graphs: what is joined to what, counted by hand.
#include "models/interconnect/topology/topology.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "models/interconnect/topology/cuts.h"
#include "tests/support/shapes.h"

namespace trn {
namespace {

std::set<std::uint64_t> neighbours(const Topology& t, std::uint64_t vertex) {
  std::set<std::uint64_t> out;
  for (const std::uint32_t l : t.outgoing(vertex)) out.insert(t.links()[l].to);
  return out;
}

std::map<std::string, std::uint64_t> counts(const Topology& t) {
  std::map<std::string, std::uint64_t> out;
  for (const LinkClass& c : t.classes()) out[c.name] = c.links;
  return out;
}

using Neighbours = std::set<std::uint64_t>;
using Counts = std::map<std::string, std::uint64_t>;

// The driver numbers a 4x4 instance id = 4 * row + column: a row's neighbours differ by 1 mod 4, a column's
// by 4 mod 16.
TEST(Topology, InstancesAreNumberedAsByTheDriver) {
  for (const char* name : {"trn1:instance", "trn2:instance"}) {
    const Topology t(named_shape(name));
    EXPECT_EQ(neighbours(t, 0), (Neighbours{1, 3, 4, 12}));
    EXPECT_EQ(neighbours(t, 5), (Neighbours{4, 6, 1, 9}));
    EXPECT_EQ(neighbours(t, 15), (Neighbours{14, 12, 11, 3}));
    EXPECT_EQ(counts(t), (Counts{{"+x", 16}, {"-x", 16}, {"+y", 16}, {"-y", 16}}));
    EXPECT_EQ(t.links().size(), 64u);
    EXPECT_EQ(t.diameter(), 4u);
    EXPECT_TRUE(t.chips_alike());
  }
}

// Per chip 4 x 128 + 2 x 64 GB/s a direction = 640, six links each.
TEST(Topology, AnUltraServerIsATorusWithAThinAxis) {
  const Topology t(named_shape("trn2:ultraserver"));
  EXPECT_EQ(t.links().size(), 64u * 6);
  EXPECT_DOUBLE_EQ(t.chip_rate(), 0.640);
  EXPECT_DOUBLE_EQ(t.out_rate(63), 0.640);
  EXPECT_DOUBLE_EQ(t.in_rate(63), 0.640);
  EXPECT_EQ(t.diameter(), 6u);
}

// Two instances over one Z link: 32 chips of four links in the instance and one between them.
TEST(Topology, APairOfInstancesHasOneZLink) {
  for (const char* name : {"trn2:ultraserver-2node", "trn2:ultraserver-lame-duck"}) {
    const Topology t(named_shape(name));
    EXPECT_EQ(t.chips(), 32u);
    EXPECT_EQ(t.links().size(), 32u * 5);
    EXPECT_EQ(counts(t)["z cable"], 32u);
    EXPECT_EQ(t.dimensions()[2].kind, DimensionKind::kCable);
    EXPECT_DOUBLE_EQ(t.chip_rate(), 0.576);
    EXPECT_TRUE(t.chips_alike());
    EXPECT_EQ(t.diameter(), 5u);
  }
}

// 36 trays with a switch each, 4 planes a rack: 144 + 36 + 8 vertices. Up and down for tray and plane, and
// one cable each way between twins: 5 x 144 links.
TEST(Topology, Gen2HasTraySwitchesPlanesAndTwinCables) {
  const Topology t(named_shape("trn3:gen2"));
  EXPECT_EQ(t.vertices(), 144u + 36 + 8);
  EXPECT_EQ(t.links().size(), 5u * 144);
  EXPECT_DOUBLE_EQ(t.chip_rate(), 1.152);
  EXPECT_TRUE(neighbours(t, 0).count(72) == 1);
  for (std::uint64_t v = t.chips(); v < t.vertices(); ++v) {
    const bool plane = t.vertex_name(v).find("plane") != std::string::npos;
    EXPECT_EQ(t.outgoing(v).size(), plane ? 18u : 4u) << t.vertex_name(v);
    if (!plane) continue;
    std::set<std::uint64_t> positions;  // one plane a position in the tray
    for (const std::uint64_t chip : neighbours(t, v)) positions.insert(chip % 4);
    EXPECT_EQ(positions.size(), 1u);
  }
  EXPECT_EQ(t.diameter(), 5u);  // cable, up and down to a plane, up and down to a tray switch
}

// 16 boards of two chips a rack, two planes.
TEST(Topology, OtherTrn3Shapes) {
  EXPECT_EQ(Topology(named_shape("trn3:gen1")).vertices(), 64u + 32 + 4);
  const Topology server(named_shape("trn3:server"));
  EXPECT_EQ(server.vertices(), 16u + 8 + 1);
  EXPECT_EQ(server.diameter(), 2u);  // over the one plane
  for (const auto& [shape, chips] :
       std::map<std::string, std::uint64_t>{{"us3", 12}, {"us4", 16}, {"us16", 64}, {"us18", 72}})
    EXPECT_EQ(Topology(named_shape("trn3:" + shape)).chips(), chips);
}

TEST(Topology, LinkPresetsChangeTheChipTotal) {
  for (const auto& [preset, rate] :
       std::map<std::string, double>{{"official_links", 0.704}, {"press_active", 1.152}, {"headline", 1.280}})
    EXPECT_NEAR(Topology(named_shape("trn3:gen2", {"shapes.gen2.links=" + preset})).chip_rate(), rate, 1e-12);
}

TEST(Topology, Inf2IsARingOfTwelve) {
  const Topology t(named_shape("inf2:instance"));
  EXPECT_EQ(t.links().size(), 24u);
  EXPECT_EQ(neighbours(t, 0), (Neighbours{1, 11}));
  EXPECT_EQ(t.diameter(), 6u);
}

// A line of four by a ring of two: 2 x 3 links each way along x, and two cables each way between the chips of
// a y ring.
TEST(Topology, OpenDimensionsEndAndRingsOfTwoHaveTwoCables) {
  const Topology t(shape_of(R"({"kind": "torus", "dims": [4, 2], "link_mb_per_s": [1000, 1000],
                                "closed": [false, true], "hop_latency_ns": 1})"));
  EXPECT_EQ(counts(t), (Counts{{"+x", 6}, {"-x", 6}, {"+y", 8}, {"-y", 8}}));
  EXPECT_EQ(neighbours(t, 0), (Neighbours{1, 2}));
  EXPECT_EQ(t.outgoing(0).size(), 3u);
  EXPECT_FALSE(t.chips_alike());
  EXPECT_EQ(t.link(0, 7), Topology::kNoLink);
  EXPECT_NEAR(t.chip_rate(), 0.003, 1e-12);  // of a chip at an end
}

// 8 x 4, twisted by 4: a chip at offset (x, y) is min(|x| + |y|, |x - 4| + |y - 4|, ...) away, at most 4;
// without the twist (4, 2) is 6 away. Once round y from chip (1, 3), number 1 * 4 + 3 = 7, arrives at (5, 0),
// number 20.
TEST(Topology, ATwistShortensTheWay) {
  const std::string twist = R"("twist": {"along": "y", "shifts": "x", "by": 4}, )";
  const auto torus = [](const std::string& more) {
    return Topology(shape_of(R"({"kind": "torus", "dims": [8, 4], "link_mb_per_s": [1, 1], )" + more +
                             R"("hop_latency_ns": 1})"));
  };
  EXPECT_EQ(torus("").diameter(), 6u);
  const Topology t = torus(twist);
  EXPECT_EQ(t.diameter(), 4u);
  EXPECT_EQ(neighbours(t, 7), (Neighbours{3, 11, 6, 20}));
  EXPECT_EQ(neighbours(t, 20), (Neighbours{16, 24, 21, 7}));
  EXPECT_TRUE(t.chips_alike());
  EXPECT_TRUE(t.dimensions().empty());
  EXPECT_EQ(t.routing(), Routing::kBalanced);
}

TEST(Topology, SwitchesAndTheMachineWithoutOne) {
  const Topology flat(
      shape_of(R"({"kind": "switch", "ports": 144, "port_mb_per_s": 704000, "hop_latency_ns": 1})"));
  EXPECT_EQ(flat.vertices(), 145u);
  EXPECT_EQ(flat.links().size(), 288u);
  EXPECT_EQ(flat.diameter(), 2u);
  const Topology all(
      shape_of(R"({"kind": "fully_connected", "chips": 8, "link_mb_per_s": 64000, "hop_latency_ns": 1})"));
  EXPECT_EQ(all.links().size(), 8u * 7);
  EXPECT_EQ(all.diameter(), 1u);
  EXPECT_NEAR(all.chip_rate(), 7 * 0.064, 1e-12);
  // 4 leaves of 8 chips under 4 spines: 32 up, 32 down, 16 up, 16 down.
  const Topology tree(shape_of(R"({"kind": "fat_tree", "leaves": 4, "chips_per_leaf": 8, "spines": 4,
      "port_mb_per_s": 512000, "uplink_mb_per_s": 512000, "hop_latency_ns": 1})"));
  EXPECT_EQ(tree.vertices(), 32u + 4 + 4);
  EXPECT_EQ(tree.links().size(), 96u);
  EXPECT_EQ(tree.diameter(), 4u);
}

TEST(Topology, TheExampleFilesAreMachines) {
  for (const auto& [file, chips] : std::map<std::string, std::uint64_t>{{"switch-144", 144},
                                                                        {"fully-connected-8", 8},
                                                                        {"twisted-torus-8x4x4", 128},
                                                                        {"fat-tree-32", 32},
                                                                        {"irregular", 5}})
    EXPECT_EQ(Topology(named_shape("trn2:configs/topologies/" + file + ".json")).chips(), chips) << file;
}

TEST(Topology, ProtocolEfficiencyScalesEveryRate) {
  const Topology t(named_shape("trn2:instance", {"link.protocol_efficiency_percent=85"}));
  EXPECT_NEAR(t.chip_rate(), 0.512 * 0.85, 1e-12);
}

// Across the middle of z: 16 rings cut twice, 64 GB/s each. Gen2: 72 twin cables of 128 GB/s; half of the
// trays reach the others over their chips' plane ports, 72 x 512. Two leaves of the fat tree have 8 uplinks
// of 512, half of what their 16 chips could send.
TEST(Cuts, HalvesAreWhatLinksAndSwitchesLetThrough) {
  const std::vector<Half> torus = halves(Topology(named_shape("trn2:ultraserver")));
  ASSERT_EQ(torus.size(), 3u);
  EXPECT_NEAR(torus[0].rate, 16 * 2 * 0.128, 1e-9);
  EXPECT_NEAR(torus[2].rate, 16 * 2 * 0.064, 1e-9);
  const std::vector<Half> gen2 = halves(Topology(named_shape("trn3:gen2")));
  EXPECT_NEAR(gen2[0].rate, 72 * 0.128, 1e-9);
  EXPECT_NEAR(gen2[1].rate, 72 * 0.512, 1e-9);
  const std::vector<Half> tree = halves(Topology(named_shape("trn2:configs/topologies/fat-tree-32.json")));
  ASSERT_EQ(tree.size(), 1u);
  EXPECT_EQ(tree[0].name, "chips 0 to 15");
  EXPECT_NEAR(tree[0].rate, 8 * 0.512, 1e-9);
}

// One chip against the rest: everything that leaves it.
TEST(Cuts, AChipIsCutByItsLinks) {
  const Topology t(named_shape("trn2:configs/topologies/irregular.json"));
  for (std::uint64_t chip = 0; chip < t.chips(); ++chip) {
    std::vector<bool> inside(t.chips());
    inside[chip] = true;
    EXPECT_NEAR(cut_rate(t, inside), t.out_rate(chip), 1e-9);
  }
}

// --- faults ---

FabricConfig with_faults(FabricConfig config, std::vector<LinkFault> faults) {
  config.faults = std::move(faults);
  return config;
}

TEST(Faults, ABrokenCableIsGoneBothWaysAndTheMachineNoProduct) {
  const Topology t(with_faults(named_shape("trn2:instance"), {{"0-1", 0}}));
  EXPECT_EQ(t.links().size(), 62u);
  EXPECT_EQ(neighbours(t, 0), (Neighbours{3, 4, 12}));
  EXPECT_EQ(neighbours(t, 1), (Neighbours{2, 5, 13}));
  EXPECT_FALSE(t.chips_alike());
  EXPECT_TRUE(t.dimensions().empty());
  EXPECT_EQ(t.routing(), Routing::kBalanced);
  EXPECT_NEAR(t.chip_rate(), 0.384, 1e-12);
}

TEST(Faults, ASlowLinkHasAClassOfItsOwn) {
  const Topology t(with_faults(named_shape("trn2:instance"), {{"1>0", 25}}));
  EXPECT_EQ(counts(t), (Counts{{"+x", 16}, {"-x", 16}, {"+y", 16}, {"-y", 15}, {"-y at 25 %", 1}}));
  EXPECT_NEAR(t.out_rate(1), 0.384 + 0.032, 1e-12);
  EXPECT_NEAR(t.out_rate(0), 0.512, 1e-12);
  EXPECT_FALSE(t.chips_alike());
  EXPECT_EQ(t.routing(), Routing::kDimensionOrder);
}

TEST(Faults, MayNameSwitchesAndComeFromTheCommandLine) {
  const Topology t(named_shape(
      "trn3:gen2",
      {R"(shapes.gen2.faults=[{"link": "5-rack 0 plane 1", "percent": 0}, {"link": "0-72", "percent": 50}])"}));
  EXPECT_EQ(t.links().size(), 718u);
  EXPECT_EQ(counts(t)["cross cable at 50 %"], 2u);
}

TEST(Faults, AMachineThatFallsApartNamesTheChips) {
  const FabricConfig ring =
      shape_of(R"({"kind": "ring", "chips": 4, "link_mb_per_s": 1, "hop_latency_ns": 1})");
  EXPECT_EQ(shape_error(with_faults(ring, {{"0-1", 0}, {"2-3", 0}})),
            "$: the machine falls apart: chip 0 cannot reach chips 1, 2");
  EXPECT_EQ(shape_error(with_faults(ring, {{"1>0", 0}, {"3>0", 0}})),
            "$: the machine falls apart: chip 0 cannot be reached from chips 1, 2, 3");
  EXPECT_EQ(shape_error(with_faults(ring, {{"0-2", 0}})), "$.faults[0].link: chip 0 and chip 2 have no link");
  EXPECT_EQ(shape_error(with_faults(ring, {{"0-7", 0}})),
            "$.faults[0].link: no link \"0-7\"; expected A-B or A>B of chips 0 to 3");
}

// --- input ---

std::string graph_error(const std::string& links, const std::string& chips = "2") {
  return shape_error(R"({"kind": "graph", "chips": )" + chips + R"(, "switches": ["hub"], "links": [)" +
                     links + "]}");
}

TEST(ShapeInput, MistakesNameTheirPlace) {
  EXPECT_EQ(
      shape_error(R"({"kind": "mesh"})"),
      "$.kind: expected one of single, ring, torus, switch, fully_connected, fat_tree, switched, graph, "
      "found \"mesh\"");
  EXPECT_EQ(shape_error(R"({"kind": "ring", "chips": 4, "hop_latency_ns": 1})"),
            "$.link_mb_per_s: missing key; found: chips, hop_latency_ns, kind");
  EXPECT_EQ(shape_error(R"({"kind": "torus", "dims": [4, 0], "link_mb_per_s": [1, 1], "hop_latency_ns": 1})"),
            "$.dims: expected integers > 0, found 0");
  EXPECT_EQ(shape_error(R"({"kind": "ring", "chips": 1000000000, "link_mb_per_s": 1, "hop_latency_ns": 1})"),
            "$.chips: at most 4096 chips");
  EXPECT_EQ(shape_error(R"({"kind": "torus", "dims": [4294967296, 4294967296], "link_mb_per_s": [1, 1],
                            "hop_latency_ns": 1})"),
            "$.dims: at most 4096 chips");
  EXPECT_EQ(shape_error(R"({"kind": "ring", "chips": 4, "link_mb_per_s": 1, "hop_latency_ns": 1,
                            "routing": "balancd"})"),
            "$.routing: unknown policy \"balancd\" (did you mean \"balanced\"?)");
  EXPECT_EQ(shape_error(R"({"kind": "ring", "chips": 4, "link_mb_per_s": 1, "hop_latency_ns": 1,
                            "routing": "split"})"),
            "$.routing: split needs a switched machine of two racks");
  EXPECT_EQ(
      shape_error(R"({"kind": "ring", "chips": 4, "link_mb_per_s": 1, "hop_latency_ns": 1, "color": 1})"),
      "$.color: unknown key; known: chips, hop_latency_ns, kind, link_mb_per_s");
  EXPECT_EQ(shape_error(R"({"kind": "torus", "dims": [4, 4], "link_mb_per_s": [1, 1], "hop_latency_ns": 1,
                            "twist": {"along": "x", "shifts": "x", "by": 1}})"),
            "$.twist.shifts: a dimension cannot shift itself");
}

TEST(ShapeInput, EveryWrongLinkOfAGraphIsTold) {
  EXPECT_EQ(graph_error(R"({"from": 0, "to": 1, "mb_per_s": 1, "latency_ns": 0})"), "accepted");
  EXPECT_EQ(graph_error(R"({"from": 0, "to": 0, "mb_per_s": 1, "latency_ns": 0},
                           {"from": 0, "to": 9, "mb_per_s": 1, "latency_ns": 0},
                           {"from": 0, "to": "hubb", "mb_per_s": 1, "latency_ns": 0},
                           {"from": 0, "to": 1, "latency_ns": 0})"),
            "$.links[0].to: a link from a vertex to itself\n"
            "$.links[1].to: no chip 9; there are chips 0 to 1\n"
            "$.links[2].to: unknown switch \"hubb\" (did you mean \"hub\"?)\n"
            "$.links[3].mb_per_s: missing key; found: from, latency_ns, to");
  EXPECT_EQ(graph_error(R"({"from": 0, "to": 1, "mb_per_s": 1, "latency_ns": 0})", "3"),
            "$: the machine falls apart: chip 0 cannot reach chip 2");
  EXPECT_EQ(graph_error(R"({"from": 0, "to": 1, "mb_per_s": 1, "latency_ns": 0, "both_ways": false})"),
            "$: the machine falls apart: chip 0 cannot be reached from chip 1");
  EXPECT_EQ(graph_error("", "1000000000"), "$.chips: at most 4096 chips");
}

// Any text is a machine or a ConfigError: the example files with random characters replaced.
TEST(ShapeInput, DamagedTextIsRefusedOrParsed) {
  const std::string alphabet = "{}[]\",:-0123456789.eEtrufalsn x";
  std::mt19937_64 random(5);
  for (const char* name : {"irregular", "fat-tree-32", "twisted-torus-8x4x4", "switch-144"}) {
    const std::string sample = read_text_file("configs/topologies/" + std::string(name) + ".json");
    for (int i = 0; i < 3000; ++i) {
      std::string text = sample;
      for (std::uint64_t k = 0; k <= random() % 3; ++k)
        text.replace(random() % text.size(), random() % 3, 1, alphabet[random() % alphabet.size()]);
      try {
        const ConfigDocument document = ConfigDocument::parse(text, "f");
        const Topology topology(parse_fabric(document.root(), 100));
      } catch (const ConfigError&) {
      }
    }
  }
}

}  // namespace
}  // namespace trn
