// Walecki's rings of a complete graph: (n - 1) / 2 of them, no cable twice.
#pragma once

#include <cstdint>
#include <vector>

namespace trn {

// Ring `index` of floor((members - 1) / 2); members >= 3.
std::vector<std::uint32_t> walecki_ring(std::uint32_t members, std::uint32_t index);

}  // namespace trn
