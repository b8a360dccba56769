// Why the Tensor engine stood still: its waits, followed through the engines it waited for.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "base/units.h"
#include "isa/program.h"

namespace trn {

enum class WaitCause : std::uint8_t {
  kTransfer,     // bytes under way, or descriptors being made
  kOtherEngine,  // results of Vector, Scalar, GpSimd or the sibling core
  kTensorAxis,   // a collective over the first mesh axis that the program names
  kDataAxis      // a collective over any other axis
};
inline constexpr std::size_t kWaitCauseCount = 4;
using WaitTimes = std::array<Picoseconds, kWaitCauseCount>;

// Times must be given in order of their ends, over all engines.
class WaitAttribution {
 public:
  explicit WaitAttribution(std::size_t semaphores) : cause_(semaphores, WaitCause::kOtherEngine) {}

  // What posts the semaphore; unless told otherwise, an engine.
  void posted_by(std::uint16_t semaphore, WaitCause cause) { cause_[semaphore] = cause; }

  // Of Sync, Vector or Scalar; others are not followed.
  void waited(Engine engine, Picoseconds from, Picoseconds to, std::uint16_t semaphore) {
    waits_[index_of(engine)].push_back({from, to, cause_[semaphore]});
  }
  void tensor_waited(Picoseconds from, Picoseconds to, std::uint16_t semaphore);
  const WaitTimes& times() const { return times_; }

 private:
  struct Interval {
    Picoseconds from, to;
    WaitCause cause;
  };
  using Intervals = std::deque<Interval>;  // waits that may overlap waits of Tensor to come

  const Intervals& waits_of(Engine engine) const { return waits_[index_of(engine)]; }
  void charge(WaitCause cause, Picoseconds time) { times_[static_cast<std::size_t>(cause)] += time; }
  void charge_transfer(Picoseconds from, Picoseconds to);
  void charge_engines(Picoseconds from, Picoseconds to, bool through_loads);

  std::vector<WaitCause> cause_;  // by semaphore
  std::array<Intervals, kEngineCount> waits_;
  WaitTimes times_{};
};

}  // namespace trn
