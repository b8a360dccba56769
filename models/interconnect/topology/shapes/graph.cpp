// A graph given link by link. Links of one rate and latency are one class.
#include <fmt/format.h>

#include <map>

#include "models/interconnect/topology/shapes/shapes.h"

namespace trn {

Wiring wire_graph(const FabricConfig& config) {
  Wiring wiring(config.graph_chips);
  for (const std::string& name : config.graph_switches) wiring.add_switch(name);
  wiring.chips_alike = wiring.chips == 1;  // symmetries are not looked for
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> classes;
  for (const GraphCable& cable : config.graph_cables) {
    const auto [at, fresh] = classes.try_emplace({cable.rate.count(), cable.latency.count()});
    if (fresh)
      at->second =
          wiring.add_class(fmt::format("{:g} GB/s {:g} ns", static_cast<double>(cable.rate.count()) * 1e-3,
                                       to_us(cable.latency) * 1e3),
                           effective_rate(cable.rate, config), cable.latency);
    for (std::uint64_t i = 0; i < cable.count; ++i) {
      wiring.add_link(cable.from, cable.to, at->second);
      if (cable.both_ways) wiring.add_link(cable.to, cable.from, at->second);
    }
  }
  return wiring;
}

}  // namespace trn
