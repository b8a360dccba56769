// Where the search for several rings starts: sets of cycles that together visit every member once.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "models/interconnect/topology/rings/strand_graph.h"

namespace trn {

// A colour for every strand: each of 0 .. count - 1 forms cycles that visit every member exactly once,
// `count` marks what is left over. Nothing if no choice of strands was found that gives every member 2 *
// count of them.
std::optional<std::vector<std::uint32_t>> find_two_factors(const StrandGraph& graph, std::uint32_t count,
                                                           std::mt19937_64& random);

}  // namespace trn
