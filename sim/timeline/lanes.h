// Slices of one track of a timeline must nest or follow each other: those that overlap go on lanes of their
// own.
#pragma once

#include <cstddef>
#include <vector>

#include "base/units.h"

namespace trn {

class Lanes {
 public:
  // The first lane that is free at `begin`, taken until `end`.
  std::size_t take(Picoseconds begin, Picoseconds end) {
    std::size_t lane = 0;
    while (lane < free_.size() && begin < free_[lane]) ++lane;
    if (lane == free_.size()) free_.emplace_back();
    free_[lane] = end;
    return lane;
  }

 private:
  std::vector<Picoseconds> free_;  // from then on, by lane
};

}  // namespace trn
