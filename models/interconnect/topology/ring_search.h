// Ring orders for ring collectives on any graph of cables.
#pragma once

#include <cstdint>
#include <vector>

namespace trn {

// A cable between two members, `rate` bytes a picosecond each direction. Parallel cables are several edges.
struct RingEdge {
  std::uint32_t a, b;
  double rate;
};

struct RingOrder {
  std::vector<std::uint32_t> order;  // members along the cycle
  // Bytes a picosecond that it can use in each direction, both at once and beside the other rings. Two
  // members: half of the cables, since there and back of both directions share them.
  double rate;
  bool physical;  // every step is a cable; otherwise steps pass through other members, or `rate` is 0
};

// Work is counted, never timed: same input, same rings.
struct RingLimits {
  std::uint32_t rings = 16;  // enough for every link of a chip
  // Rings that a cable may carry beyond what the differences between rates ask for. With 2, rings of half the
  // rate use three cables of a member whose fourth is broken; with 1, one of the three lies idle.
  std::uint32_t split = 1;
  std::uint64_t moves = 100'000;  // of the search
};

// Cycles through all members that share the cables' capacity, widest first; each runs in both directions. At
// least one is always returned: without a Hamiltonian cycle, the shortest tour found.
std::vector<RingOrder> find_rings(std::uint32_t members, const std::vector<RingEdge>& edges,
                                  const RingLimits& limits = {});

}  // namespace trn
