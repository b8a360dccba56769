// How much can flow from one part of a machine to the rest.
#pragma once

#include <string>
#include <vector>

#include "models/interconnect/topology/topology.h"

namespace trn {

// Bytes a picosecond from the chips inside to those outside: maximum flow, so switches stand on either side
// as suits it best.
double cut_rate(const Topology& topology, const std::vector<bool>& inside);

// The machine in two: across the middle of each dimension, or by chip number where it has none. Of two equal
// directions the lesser.
struct Half {
  std::string name;  // "x", "rack", "chips 0 to 15"
  double rate;
};
std::vector<Half> halves(const Topology& topology);

}  // namespace trn
