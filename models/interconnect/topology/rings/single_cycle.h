// One Hamiltonian cycle by backtracking: exact on small graphs, a bounded try on large ones.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/interconnect/topology/rings/strand_graph.h"

namespace trn {

// Nothing if there is none, or none was found in `steps` steps.
std::optional<std::vector<std::uint32_t>> find_single_cycle(const StrandGraph& graph, std::uint64_t steps);

}  // namespace trn
