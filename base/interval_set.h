// How much time some intervals cover together, whatever order they come in.
#pragma once

#include <vector>

#include "base/units.h"

namespace trn {

// Keeps disjoint intervals only, so memory is bounded by the gaps. Intervals that come roughly in order of
// time cost a comparison each.
class IntervalSet {
 public:
  // [begin, end); an empty one is ignored.
  void add(Picoseconds begin, Picoseconds end);
  void add(const IntervalSet& other);
  // Length of the union.
  Picoseconds covered() const;

 private:
  struct Interval {
    Picoseconds begin, end;
  };
  static void merge(std::vector<Interval>& intervals);

  std::vector<Interval> intervals_;  // may overlap until they are merged
  std::size_t merge_at_ = 1024;
};

}  // namespace trn
