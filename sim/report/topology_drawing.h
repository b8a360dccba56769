// A machine as an SVG drawing: tori as grids, switched machines as racks of trays, everything else as a
// circle.
#pragma once

#include <string>

#include "models/interconnect/topology/topology.h"
#include "sim/report/svg_canvas.h"

namespace trn {

// The same text for the same machine. `config` is what `topology` was made of.
std::string topology_svg(const Topology& topology, const FabricConfig& config, const std::string& title);

// Rows and columns of the first two dimensions, a panel for each position of the third.
void draw_torus(SvgCanvas& canvas, const Topology& topology, const FabricConfig& config);
void draw_switched(SvgCanvas& canvas, const Topology& topology, const FabricConfig& config);
void draw_circle(SvgCanvas& canvas, const Topology& topology);
// A line a link class, downwards.
void draw_legend(SvgCanvas& canvas, const Topology& topology, Point at);

// "128 GB/s"
std::string rate_text(double bytes_per_picosecond);
// A slow link's class, after a fault.
bool is_slow(const LinkClass& link_class);

}  // namespace trn
