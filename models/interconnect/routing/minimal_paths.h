// All paths of least hops to one chip, and how bytes are spread over them.
#pragma once

#include "models/interconnect/routing/routes.h"

namespace trn {

struct MinimalPaths {
  std::vector<std::uint32_t> hops;  // by vertex
  // Minimal paths from here, a link counting by its rate: a cable of twice the rate is two cables. Scaled
  // alike for all vertices equally far away.
  std::vector<double> paths;
};

MinimalPaths minimal_paths_to(const Topology& topology, std::uint64_t chip);

// Every minimal path takes the same share. No symmetry of the machine changes that rule, so links that a
// symmetry maps on each other carry the same when everyone sends to everyone; and describing two cables as
// one of twice the rate changes nothing.
Route balanced_route(const Topology& topology, const MinimalPaths& paths, std::uint64_t from);

}  // namespace trn
