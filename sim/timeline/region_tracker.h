// When a core was in which region: the operations of a timeline.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <vector>

#include "base/units.h"
#include "isa/engine.h"

namespace trn {

// Engines enter a region with their first instruction of it, and leave it with their first of another; they
// run ahead of each other, so regions overlap, even two passes through one region. A pass lasts from its
// first instruction to its last completion or transfer. An engine joins the oldest pass under way that it has
// not been in, else the latest one, though all others may have left it. One that alone stays behind, since it
// has nothing to do elsewhere, moves on with the others.
class RegionTracker {
 public:
  struct Pass {
    std::uint32_t region = 0;
    Picoseconds begin, end;
    std::uint32_t inside = 0, been = 0;  // engines, a bit each
    std::uint64_t transfers = 0;         // under way
    bool under_way() const { return inside != 0 || transfers > 0; }
  };
  using Done = std::function<void(const Pass&)>;

  explicit RegionTracker(Done done) : done_(std::move(done)) {}

  void issued(Engine engine, std::uint32_t region, Picoseconds start, Picoseconds complete);
  // Of the instruction issued last; returns what transfer_done wants.
  Pass* transfer_triggered(Engine engine);
  void transfer_done(Pass* pass, Picoseconds now);
  void finish();

 private:
  using Place = std::list<Pass>::iterator;
  void leave(std::size_t engine);
  Place enter(std::uint32_t engine_bit, std::uint32_t region, Picoseconds start);
  bool passed_by(Place place, std::uint32_t engine_bit) const;
  Place joinable(std::uint32_t engine_bit, std::uint32_t region);
  void close_former(Place place);

  Done done_;
  std::list<Pass> open_;  // in order of begin; of those not under way, the latest of each region
  std::array<Place, kEngineCount> at_{};
  std::uint32_t somewhere_ = 0;  // engines that are in a region
};

}  // namespace trn
