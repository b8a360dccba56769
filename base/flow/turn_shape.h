// What a bus that moves one direction at a time pays for turning around, by the share of writes.
#pragma once

#include <algorithm>

namespace trn {

// Of the cost at half and half: nothing one way only, and linear between the points.
struct TurnShape {
  double quarter = 0.5, three_quarters = 0.5;

  double at(double write_share) const {
    const double w = std::clamp(write_share, 0.0, 1.0) * 4;
    if (w < 1) return w * quarter;
    if (w < 2) return quarter + (w - 1) * (1 - quarter);
    if (w < 3) return 1 + (w - 2) * (three_quarters - 1);
    return (4 - w) * three_quarters;
  }
};

}  // namespace trn
