// For how long at least one of some intervals lasted.
#pragma once

#include <algorithm>
#include <vector>

#include "base/units.h"

namespace trn {

// They come in order of their ends.
class IntervalUnion {
 public:
  void add(Picoseconds begin, Picoseconds end) {
    while (!parts_.empty() && begin <= parts_.back().end) {
      begin = std::min(begin, parts_.back().begin);
      parts_.pop_back();
    }
    parts_.push_back({begin, end});
  }
  Picoseconds time() const {
    Picoseconds sum;
    for (const Part& part : parts_) sum += part.end - part.begin;
    return sum;
  }

 private:
  struct Part {
    Picoseconds begin, end;
  };
  std::vector<Part> parts_;
};

}  // namespace trn
