#include "sim/report/topology_drawing.h"

#include <fmt/format.h>

namespace trn {

void draw_legend(SvgCanvas& canvas, const Topology& topology, Point at) {
  for (const LinkClass& c : topology.classes()) {
    if (c.links == 0) continue;
    canvas.text(at, "start",
                fmt::format("{}: {} links of {} a direction, {:g} ns", c.name, c.links, rate_text(c.rate),
                            static_cast<double>(c.latency.count()) / 1000),
                "note");
    at.y += 16;
  }
}

std::string rate_text(double bytes_per_picosecond) {
  return fmt::format("{:.6g} GB/s", bytes_per_picosecond * 1e3);
}

bool is_slow(const LinkClass& link_class) { return link_class.name.find(" at ") != std::string::npos; }

std::string topology_svg(const Topology& topology, const FabricConfig& config, const std::string& title) {
  SvgCanvas canvas;
  if (config.kind == FabricKind::kTorus) {
    draw_torus(canvas, topology, config);
    draw_legend(canvas, topology, {0, -16.0 * static_cast<double>(topology.classes().size()) - 44});
  } else if (config.kind == FabricKind::kSwitched) {
    draw_switched(canvas, topology, config);
    draw_legend(canvas, topology, {0, -16.0 * static_cast<double>(topology.classes().size()) - 30});
  } else {
    draw_circle(canvas, topology);
  }
  return canvas.finish(title);
}

}  // namespace trn
