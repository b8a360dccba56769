#include "models/interconnect/topology/fabric_parts.h"

#include <algorithm>

#include "base/text.h"

namespace trn {
namespace {

bool is_product(const FabricConfig& f) {
  return f.kind == FabricKind::kSwitched || f.kind == FabricKind::kSwitch ||
         (f.kind == FabricKind::kTorus && !f.twist);
}

void read_rates(ConfigNode& node, FabricConfig& f) {
  f.tray_rate = parse_rate(node, "tray_mb_per_s");
  f.rack_rate = parse_rate(node, "rack_mb_per_s");
  f.cross_rack_rate = parse_rate(node, "cross_rack_mb_per_s");
}

}  // namespace

Picoseconds parse_latency(ConfigNode& node, const char* key) {
  const std::uint64_t ns = node.integer(key);
  if (ns > 1'000'000'000) node.fail(key, "at most a second, found " + std::to_string(ns));
  return nanoseconds(ns);
}

MegabytesPerSecond parse_rate(ConfigNode& node, const char* key) {
  return MegabytesPerSecond(node.positive(key));
}

void parse_routing(ConfigNode& node, FabricConfig& fabric) {
  const std::string name = node.word("routing");
  const auto at = std::find(kRoutings.begin(), kRoutings.end(), name);
  if (at == kRoutings.end())
    node.fail("routing",
              "unknown policy \"" + name + '"' + suggestion(name, {kRoutings.begin(), kRoutings.end()}));
  fabric.routing = static_cast<Routing>(at - kRoutings.begin());
  if (*fabric.routing == Routing::kBalanced) return;
  if (*fabric.routing == Routing::kDimensionOrder) {
    if (!is_product(fabric))
      node.fail("routing", "dimension_order needs a torus without twist, a switched machine or a switch");
  } else if (fabric.kind != FabricKind::kSwitched || fabric.racks != 2) {
    node.fail("routing", name + " needs a switched machine of two racks");
  }
}

void parse_faults(ConfigNode& node, FabricConfig& fabric) {
  for (ConfigNode& row : node.rows("faults")) {
    LinkFault fault{row.text("link"), row.integer("percent")};
    if (fault.percent > 99)
      row.fail("percent", "expected 0 (broken) to 99, found " + std::to_string(fault.percent));
    row.reject_unknown_keys();
    fabric.faults.push_back(std::move(fault));
  }
}

void parse_link_rates(ConfigNode& node, const std::optional<ConfigNode>& presets, FabricConfig& fabric) {
  std::vector<std::string> names;
  if (presets) {
    names = presets->keys();
    for (const std::string& name : names) {  // every preset is checked
      ConfigNode preset = ConfigNode(*presets).child(name);
      FabricConfig unused;
      read_rates(preset, unused);
      preset.reject_unknown_keys();
    }
  }
  if (!node.has("links")) {
    read_rates(node, fabric);
    return;
  }
  const std::string name = node.word("links");
  if (std::find(names.begin(), names.end(), name) == names.end())
    node.fail("links", "unknown preset \"" + name + '"' +
                           (presets ? suggestion(name, names) : "; the machine has no link_presets"));
  ConfigNode preset = ConfigNode(*presets).child(name);
  read_rates(preset, fabric);
}

}  // namespace trn
