#include "models/interconnect/topology/shapes/shapes.h"

#include <array>

namespace trn {
namespace {

Wiring wire_single(const FabricConfig&) { return Wiring(1); }

struct Shape {
  FabricKind kind;
  Wiring (*wire)(const FabricConfig&);
};
constexpr std::array kShapes{Shape{FabricKind::kSingle, wire_single},
                             Shape{FabricKind::kTorus, wire_torus},
                             Shape{FabricKind::kSwitched, wire_switched},
                             Shape{FabricKind::kSwitch, wire_switch},
                             Shape{FabricKind::kFullyConnected, wire_fully_connected},
                             Shape{FabricKind::kFatTree, wire_fat_tree},
                             Shape{FabricKind::kGraph, wire_graph}};

}  // namespace

Wiring wire(const FabricConfig& config) {
  Wiring (*wire_kind)(const FabricConfig&) = wire_single;
  for (const Shape& shape : kShapes)
    if (shape.kind == config.kind) wire_kind = shape.wire;
  return wire_kind(config);
}

double effective_rate(MegabytesPerSecond raw, const FabricConfig& config) {
  return bytes_per_picosecond(raw) * static_cast<double>(config.protocol_efficiency_percent) / 100;
}

}  // namespace trn
