// What an algorithm needs to know of a group: how its ranks are spread over chips, dimensions, rings,
// domains.
#pragma once

#include <cstdint>
#include <vector>

namespace trn {

// Ranks are numbered domain by domain, chip by chip, and on a chip one after the other, if `regular`.
// Otherwise nothing is known but their number and a tour.
struct GroupShape {
  struct Dimension {
    std::uint32_t stride;  // in ranks
    std::uint32_t size;
    bool ring;    // a closed ring of cables; else each reaches each directly
    double rate;  // out of a chip into this dimension, bytes a picosecond
  };
  struct Ring {
    std::vector<std::uint32_t> order;  // of a domain's chips, numbered within the group
    double rate;                       // each way
  };

  std::uint32_t ranks = 1;
  bool regular = true;
  std::uint32_t domains = 1;          // joined by EFA
  std::uint32_t chips = 1;            // of the group in each domain
  std::uint32_t per_chip = 1;         // ranks of the group on each of its chips
  std::vector<Dimension> dimensions;  // of the chips, if they are a box of the machine's dimensions
  std::vector<Ring> rings;            // disjoint; at least one if there are two chips or more
  std::vector<std::uint32_t> tour;    // irregular: all ranks, those of a chip in a row
};

}  // namespace trn
