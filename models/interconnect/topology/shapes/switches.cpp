// Machines around plain switches, and the one without: every chip joined to every other.
#include "models/interconnect/topology/shapes/shapes.h"

namespace trn {

Wiring wire_switch(const FabricConfig& config) {
  Wiring wiring(config.ports);
  if (config.ports == 1) return wiring;
  const double rate = effective_rate(config.port_rate, config);
  const std::uint32_t up = wiring.add_class("switch up", rate, config.hop_latency);
  const std::uint32_t down = wiring.add_class("switch down", rate, config.hop_latency);
  const std::uint32_t centre = wiring.add_switch("switch");
  for (std::uint64_t chip = 0; chip < wiring.chips; ++chip) wiring.add_link(chip, centre, up);
  for (std::uint64_t chip = 0; chip < wiring.chips; ++chip) wiring.add_link(centre, chip, down);
  wiring.dimensions.push_back({"switch", DimensionKind::kSwitch, config.ports, up, rate});
  return wiring;
}

Wiring wire_fully_connected(const FabricConfig& config) {
  Wiring wiring(config.ports);
  if (config.ports == 1) return wiring;
  const std::uint32_t cable =
      wiring.add_class("cable", effective_rate(config.port_rate, config), config.hop_latency);
  for (std::uint64_t from = 0; from < wiring.chips; ++from)
    for (std::uint64_t to = 0; to < wiring.chips; ++to)
      if (from != to) wiring.add_link(from, to, cable);
  return wiring;
}

Wiring wire_fat_tree(const FabricConfig& config) {
  Wiring wiring(config.chips());
  const double port = effective_rate(config.port_rate, config);
  const double uplink = effective_rate(config.uplink_rate, config);
  const std::uint32_t chip_up = wiring.add_class("chip up", port, config.hop_latency);
  const std::uint32_t chip_down = wiring.add_class("chip down", port, config.hop_latency);
  const std::uint32_t leaf_up = wiring.add_class("leaf up", uplink, config.hop_latency);
  const std::uint32_t leaf_down = wiring.add_class("leaf down", uplink, config.hop_latency);
  for (std::uint64_t leaf = 0; leaf < config.leaves; ++leaf) {
    const std::uint32_t at = wiring.add_switch("leaf " + std::to_string(leaf));
    for (std::uint64_t c = 0; c < config.chips_per_leaf; ++c) {
      wiring.add_link(leaf * config.chips_per_leaf + c, at, chip_up);
      wiring.add_link(at, leaf * config.chips_per_leaf + c, chip_down);
    }
  }
  for (std::uint64_t spine = 0; spine < config.spines; ++spine) {
    const std::uint32_t at = wiring.add_switch("spine " + std::to_string(spine));
    for (std::uint64_t leaf = 0; leaf < config.leaves; ++leaf) {
      wiring.add_link(wiring.chips + leaf, at, leaf_up);
      wiring.add_link(at, wiring.chips + leaf, leaf_down);
    }
  }
  return wiring;
}

}  // namespace trn
