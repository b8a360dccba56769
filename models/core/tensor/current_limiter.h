// The Tensor engine's current (dI/dt) limiter: matmuls issue at a reduced rate during the first ~3 us of
// activity; it re-arms when the array was busy for less than half of the trailing window.
#pragma once

#include <deque>

#include "models/machine_config.h"

namespace trn {

// From the engine's own history only. Stalls that the limiter causes count as busy, so a saturated engine
// is throttled once. Times must not decrease.
class CurrentLimiter {
 public:
  explicit CurrentLimiter(const TensorConfig& config)
      : window_(config.limiter_window),
        slowdown_(config.limiter_slowdown),
        rearm_percent_(config.limiter_rearm_percent) {}

  // Factor on the interval of a matmul issued at `now`.
  std::uint64_t factor(Picoseconds now) {
    if (window_.count() == 0) return 1;
    if (now < limited_until_) return slowdown_;
    forget(now);
    if (busy_in_window(now) * 100 >= window_.count() * rearm_percent_) return 1;
    limited_until_ = now + window_;
    ++activations_;
    return slowdown_;
  }

  // The array was occupied over [from, to).
  void occupied(Picoseconds from, Picoseconds to) {
    if (window_.count() == 0) return;
    if (!busy_.empty() && busy_.back().to == from)
      busy_.back().to = to;
    else
      busy_.push_back({from, to});
    total_ += (to - from).count();
  }

  std::uint64_t activations() const { return activations_; }

 private:
  struct Interval {
    Picoseconds from, to;
  };

  void forget(Picoseconds now) {
    if (now < window_) return;
    const Picoseconds begin = now - window_;
    while (!busy_.empty() && busy_.front().to <= begin) {
      total_ -= (busy_.front().to - busy_.front().from).count();
      busy_.pop_front();
    }
  }

  // Only the oldest interval can reach out of the window.
  std::uint64_t busy_in_window(Picoseconds now) const {
    if (busy_.empty() || now < window_) return total_;
    const Picoseconds begin = now - window_;
    const Picoseconds first = busy_.front().from;
    return total_ - (first < begin ? (begin - first).count() : 0);
  }

  Picoseconds window_;
  std::uint64_t slowdown_;
  std::uint64_t rearm_percent_;
  Picoseconds limited_until_;
  std::deque<Interval> busy_;
  std::uint64_t total_ = 0;  // sum of busy_
  std::uint64_t activations_ = 0;
};

}  // namespace trn
