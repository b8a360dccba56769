// Told what a collective's ranks move, step by step: for timelines.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace trn {

struct CollectiveMove {
  std::uint32_t step = 0;
  std::uint32_t site = 0;  // the rank that executes it; folded: of the first chip
  Bytes bytes;
  Picoseconds started, sent;
};

class MoveListener {
 public:
  virtual ~MoveListener() = default;
  virtual void moved(const CollectiveMove& move) = 0;
};

}  // namespace trn
