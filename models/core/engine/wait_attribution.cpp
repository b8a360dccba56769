#include "models/core/engine/wait_attribution.h"

#include <algorithm>

namespace trn {
namespace {

// Calls body(from, to, cause) for what of each interval lies in [from, to).
template <class Intervals, class Body>
void for_overlaps(const Intervals& intervals, Picoseconds from, Picoseconds to, const Body& body) {
  for (const auto& interval : intervals) {
    const Picoseconds begin = std::max(from, interval.from);
    const Picoseconds end = std::min(to, interval.to);
    if (begin < end) body(begin, end, interval.cause);
  }
}

}  // namespace

void WaitAttribution::tensor_waited(Picoseconds from, Picoseconds to, std::uint16_t semaphore) {
  for (Intervals& waits : waits_)
    while (!waits.empty() && waits.front().to <= from) waits.pop_front();
  switch (const WaitCause cause = semaphore == kNoSemaphore ? WaitCause::kTransfer : cause_[semaphore]) {
    case WaitCause::kTransfer:
      return charge_transfer(from, to);
    case WaitCause::kOtherEngine:
      return charge_engines(from, to, true);
    default:
      charge(cause, to - from);
  }
}

// A wait for a transfer is the transfer's only after the loads that Sync could not yet trigger: it waits for
// a collective, or for a store, which is waiting for the engines that make its data.
void WaitAttribution::charge_transfer(Picoseconds from, Picoseconds to) {
  Picoseconds left = to - from;
  for_overlaps(waits_of(Engine::kSync), from, to, [&](Picoseconds begin, Picoseconds end, WaitCause cause) {
    if (cause == WaitCause::kTransfer || cause == WaitCause::kOtherEngine)
      charge_engines(begin, end, false);
    else
      charge(cause, end - begin);
    left = left - (end - begin);
  });
  charge(WaitCause::kTransfer, left);
}

// A wait for the engines is theirs only while Vector does not wait for bytes itself, or for Scalar that does.
void WaitAttribution::charge_engines(Picoseconds from, Picoseconds to, bool through_loads) {
  Picoseconds left = to - from;
  const auto starved = [&](Picoseconds begin, Picoseconds end) {
    through_loads ? charge_transfer(begin, end) : charge(WaitCause::kTransfer, end - begin);
    left = left - (end - begin);
  };
  for_overlaps(waits_of(Engine::kVector), from, to, [&](Picoseconds begin, Picoseconds end, WaitCause cause) {
    if (cause == WaitCause::kTransfer) return starved(begin, end);
    for_overlaps(waits_of(Engine::kScalar), begin, end, [&](Picoseconds b, Picoseconds e, WaitCause scalar) {
      if (scalar == WaitCause::kTransfer) starved(b, e);
    });
  });
  charge(WaitCause::kOtherEngine, left);
}

}  // namespace trn
