// A closed tour where no ring of cables exists: few hops, through other members where it must.
#pragma once

#include "models/interconnect/topology/ring_search.h"

namespace trn {

// Nearest member first, then improved by turning parts around. Members out of reach count as `members` hops,
// and then the rate is 0. Two members with a cable are a ring of this kind.
RingOrder find_tour(std::uint32_t members, const std::vector<RingEdge>& edges);

}  // namespace trn
