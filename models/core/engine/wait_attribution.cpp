#include "models/core/engine/wait_attribution.h"

#include <algorithm>

namespace trn {
// A wait for a transfer is the transfer's only after the loads that Sync could not yet trigger.
void WaitAttribution::tensor_waited(Picoseconds from, Picoseconds to, std::uint16_t semaphore) {
  Picoseconds left = to - from;
  const WaitCause cause = semaphore == kNoSemaphore ? WaitCause::kTransfer : cause_[semaphore];
  while (!loads_.empty() && loads_.front().to <= from) loads_.pop_front();
  if (cause == WaitCause::kTransfer) {
    for (const Interval& load : loads_) {
      const Picoseconds begin = std::max(from, load.from);
      const Picoseconds end = std::min(to, load.to);
      if (end <= begin) continue;
      const Picoseconds overlap = std::min(left, end - begin);
      // Sync waiting for a store is waiting for the engines that make its data.
      const WaitCause why = load.cause == WaitCause::kTransfer ? WaitCause::kOtherEngine : load.cause;
      times_[static_cast<std::size_t>(why)] += overlap;
      left = left - overlap;
    }
  }
  times_[static_cast<std::size_t>(cause)] += left;
}

}  // namespace trn
