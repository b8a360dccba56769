#include "models/interconnect/topology/fabric_config.h"

#include <algorithm>

#include "base/text.h"
#include "models/interconnect/topology/fabric_parts.h"

namespace trn {
namespace {

FabricConfig parse_single(ConfigNode&) { return {}; }

FabricConfig parse_ring(ConfigNode& node) {
  FabricConfig f;
  f.dims = {node.positive("chips")};
  f.link_rates = {parse_rate(node, "link_mb_per_s")};
  f.hop_latency = parse_latency(node, "hop_latency_ns");
  return f;
}

FabricConfig parse_switched(ConfigNode& node) {
  FabricConfig f;
  f.racks = node.positive("racks");
  f.trays_per_rack = node.positive("trays_per_rack");
  f.chips_per_tray = node.positive("chips_per_tray");
  f.planes = node.positive("planes");
  f.hop_latency = parse_latency(node, "hop_latency_ns");
  if (f.racks > 2) node.fail("racks", "one or two racks are modelled");
  if (f.chips_per_tray % f.planes != 0) node.fail("planes", "must divide chips_per_tray");
  return f;
}

FabricConfig parse_switch(ConfigNode& node) {
  FabricConfig f;
  f.ports = node.positive("ports");
  f.port_rate = parse_rate(node, "port_mb_per_s");
  f.hop_latency = parse_latency(node, "hop_latency_ns");
  return f;
}

FabricConfig parse_fully_connected(ConfigNode& node) {
  FabricConfig f;
  f.ports = node.positive("chips");
  f.port_rate = parse_rate(node, "link_mb_per_s");
  f.hop_latency = parse_latency(node, "hop_latency_ns");
  if (f.ports > 512) node.fail("chips", "at most 512 chips that are all joined to each other");
  return f;
}

FabricConfig parse_fat_tree(ConfigNode& node) {
  FabricConfig f;
  f.leaves = node.positive("leaves");
  f.chips_per_leaf = node.positive("chips_per_leaf");
  f.spines = node.positive("spines");
  f.port_rate = parse_rate(node, "port_mb_per_s");
  f.uplink_rate = parse_rate(node, "uplink_mb_per_s");
  f.hop_latency = parse_latency(node, "hop_latency_ns");
  if (f.spines > 64) node.fail("spines", "at most 64");
  return f;
}

struct KindRow {
  const char* name;
  FabricKind kind;
  FabricConfig (*parse)(ConfigNode&);
  const char* size_key;  // what to make smaller when there are too many chips
};
constexpr std::array kKinds{
    KindRow{"single", FabricKind::kSingle, parse_single, "kind"},
    KindRow{"ring", FabricKind::kTorus, parse_ring, "chips"},
    KindRow{"torus", FabricKind::kTorus, parse_torus, "dims"},
    KindRow{"switch", FabricKind::kSwitch, parse_switch, "ports"},
    KindRow{"fully_connected", FabricKind::kFullyConnected, parse_fully_connected, "chips"},
    KindRow{"fat_tree", FabricKind::kFatTree, parse_fat_tree, "leaves"},
    KindRow{"switched", FabricKind::kSwitched, parse_switched, "trays_per_rack"},
    KindRow{"graph", FabricKind::kGraph, parse_graph, "chips"}};

const KindRow& kind_named(ConfigNode& node) {
  const std::string name = node.text("kind");
  std::vector<std::string> known;
  for (const KindRow& row : kKinds) {
    if (name == row.name) return row;
    known.emplace_back(row.name);
  }
  node.fail("kind", "expected one of " + join(known) + ", found \"" + name + '"');
}

// Stays far from overflow: more than kMaxChips is as good as any.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kTooMany = kMaxChips + 1;
  return std::min(a, kTooMany) * std::min(b, kTooMany);
}

}  // namespace

std::uint64_t FabricConfig::chips() const {
  switch (kind) {
    case FabricKind::kSingle:
      return 1;
    case FabricKind::kTorus: {
      std::uint64_t n = 1;
      for (const std::uint64_t d : dims) n = times(n, d);
      return n;
    }
    case FabricKind::kSwitched:
      return times(times(racks, trays_per_rack), chips_per_tray);
    case FabricKind::kSwitch:
    case FabricKind::kFullyConnected:
      return ports;
    case FabricKind::kFatTree:
      return times(leaves, chips_per_leaf);
    case FabricKind::kGraph:
      break;
  }
  return graph_chips;
}

FabricConfig parse_fabric(ConfigNode node, std::uint64_t protocol_efficiency_percent,
                          const std::optional<ConfigNode>& presets) {
  const KindRow& row = kind_named(node);
  FabricConfig f = row.parse(node);
  f.kind = row.kind;
  f.where = node.path();
  f.protocol_efficiency_percent = protocol_efficiency_percent;
  if (f.chips() > kMaxChips) node.fail(row.size_key, "at most " + std::to_string(kMaxChips) + " chips");
  if (f.kind == FabricKind::kSwitched) parse_link_rates(node, presets, f);
  if (node.has("routing")) parse_routing(node, f);
  if (node.has("faults")) parse_faults(node, f);
  node.reject_unknown_keys();
  return f;
}

}  // namespace trn
