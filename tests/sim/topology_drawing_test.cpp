// Drawings: every chip on them, the same text for the same machine, nothing that is no number.
#include "sim/report/topology_drawing.h"

#include <gtest/gtest.h>

#include "models/machine_config.h"

namespace trn {
namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(TopologyDrawing, ShowsEveryChipOnce) {
  for (const char* name :
       {"trn1:instance", "trn2:ultraserver", "inf2:instance", "trn2:chip", "trn3:server", "trn3:gen2",
        "trn2:configs/topologies/fat-tree-32.json", "trn2:configs/topologies/irregular.json",
        "trn2:configs/topologies/twisted-torus-8x4x4.json"}) {
    const MachineName parsed = parse_machine_name(name);
    const FabricConfig config = parse_figures(load_machine_document(parsed.config), parsed.shape).fabric;
    const Topology topology(config);
    const std::string svg = topology_svg(topology, config, "a < b");
    EXPECT_EQ(count(svg, "class=\"chip\""), topology.chips()) << name;
    EXPECT_EQ(count(svg, "nan") + count(svg, "inf"), 0u) << name;
    EXPECT_EQ(count(svg, "a &lt; b"), 1u);
    EXPECT_EQ(svg, topology_svg(topology, config, "a < b"));
  }
}

}  // namespace
}  // namespace trn
