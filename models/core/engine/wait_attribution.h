// Why the Tensor engine stood still: its waits, split by what the load engine (Sync) was itself waiting for.
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

// Times must be given in order of their ends, over both engines.
class WaitAttribution {
 public:
  explicit WaitAttribution(std::size_t semaphores) : cause_(semaphores, WaitCause::kOtherEngine) {}

  // What posts the semaphore; unless told otherwise, an engine.
  void posted_by(std::uint16_t semaphore, WaitCause cause) { cause_[semaphore] = cause; }

  void sync_waited(Picoseconds from, Picoseconds to, std::uint16_t semaphore) {
    loads_.push_back({from, to, cause_[semaphore]});
  }
  void tensor_waited(Picoseconds from, Picoseconds to, std::uint16_t semaphore);
  const WaitTimes& times() const { return times_; }

 private:
  struct Interval {
    Picoseconds from, to;
    WaitCause cause;
  };
  std::vector<WaitCause> cause_;  // by semaphore
  std::deque<Interval> loads_;    // waits of Sync that may overlap waits of Tensor to come
  WaitTimes times_{};
};

}  // namespace trn
