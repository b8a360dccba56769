// A time that sits on a clock edge, advanced without divisions: floor(n * 10^6 / MHz) for edge n, exactly.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace trn {

// A number of cycles, split for one clock.
struct EdgeStep {
  std::uint64_t whole = 0;      // ps
  std::uint64_t remainder = 0;  // in units of 1/MHz ps

  EdgeStep() = default;
  EdgeStep(Cycles cycles, Clock clock)
      : whole(cycles.count() * 1'000'000 / clock.frequency.count()),
        remainder(cycles.count() * 1'000'000 % clock.frequency.count()) {}
};

class EdgeTime {
 public:
  EdgeTime() = default;

  // The first edge at or after `t`.
  static EdgeTime at_or_after(Picoseconds t, Clock clock) {
    const std::uint64_t scaled = clock.first_edge_at_or_after(t).count() * 1'000'000;
    EdgeTime edge;
    edge.time_ = scaled / clock.frequency.count();
    edge.remainder_ = scaled % clock.frequency.count();
    return edge;
  }

  Picoseconds time() const { return Picoseconds(time_); }

  EdgeTime plus(EdgeStep step, Clock clock) const {
    EdgeTime next;
    next.time_ = time_ + step.whole;
    next.remainder_ = remainder_ + step.remainder;
    if (next.remainder_ >= clock.frequency.count()) {
      next.remainder_ -= clock.frequency.count();
      ++next.time_;
    }
    return next;
  }

 private:
  std::uint64_t time_ = 0;
  std::uint64_t remainder_ = 0;
};

}  // namespace trn
