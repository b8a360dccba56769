// One shape of a machine: how many chips and how they are wired. Rates are a direction.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/config_node.h"
#include "base/units.h"

namespace trn {

enum class FabricKind : std::uint8_t {
  kSingle,
  kTorus,
  kSwitched,
  kSwitch,
  kFullyConnected,
  kFatTree,
  kGraph
};

// Which way bytes take; models/interconnect/routing does it.
enum class Routing : std::uint8_t { kDimensionOrder, kBalanced, kTwinFirst, kTwinLast, kSplit };
inline constexpr std::array<std::string_view, 5> kRoutings{"dimension_order", "balanced", "twin_first",
                                                           "twin_last", "split"};

// Going once round dimension `along` arrives `by` further in dimension `shifts`.
struct Twist {
  std::size_t along;
  std::size_t shifts;
  std::uint64_t by;
};

// A cable that is slow or broken, by the names of its ends: "A-B" both ways, "A>B" one.
struct LinkFault {
  std::string link;
  std::uint64_t percent = 0;  // of its rate that is left; 0: broken
};

// A cable of a graph given link by link. Ends are vertex numbers: chips first, then switches.
struct GraphCable {
  std::uint32_t from, to;
  MegabytesPerSecond rate;
  Picoseconds latency;
  std::uint64_t count = 1;
  bool both_ways = true;
};

struct FabricConfig {
  FabricKind kind = FabricKind::kSingle;
  std::string where;                           // JSON path, for complaints
  std::vector<std::uint64_t> dims;             // torus
  std::vector<MegabytesPerSecond> link_rates;  // torus, per dimension
  std::vector<bool> closed;                    // torus, per dimension; empty: all are rings
  std::optional<Twist> twist;                  // torus
  std::uint64_t racks = 1, trays_per_rack = 1, chips_per_tray = 1, planes = 1;  // switched
  MegabytesPerSecond tray_rate, rack_rate, cross_rack_rate;
  std::uint64_t ports = 1;                                   // chips of a switch or fully connected machine
  MegabytesPerSecond port_rate;                              // and of a fat tree: chip to switch or chip
  std::uint64_t leaves = 1, chips_per_leaf = 1, spines = 1;  // fat tree
  MegabytesPerSecond uplink_rate;                            // leaf to one spine
  std::uint64_t graph_chips = 1;
  std::vector<std::string> graph_switches;
  std::vector<GraphCable> graph_cables;
  Picoseconds hop_latency;  // of every link, but for graphs
  std::uint64_t protocol_efficiency_percent = 100;
  std::optional<Routing> routing;  // else what suits the kind
  std::vector<LinkFault> faults;

  std::uint64_t chips() const;
};

// More chips than one scale-up domain of any announced machine, few enough to look at every pair.
inline constexpr std::uint64_t kMaxChips = 4096;

// A shape object. `presets` is the machine's link_presets, where it has some.
FabricConfig parse_fabric(ConfigNode node, std::uint64_t protocol_efficiency_percent,
                          const std::optional<ConfigNode>& presets = std::nullopt);

}  // namespace trn
