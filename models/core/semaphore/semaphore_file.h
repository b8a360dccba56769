// The counting semaphores of one core, as functions of time: posts are known before they happen.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"

namespace trn {

// Posts only add; a clear happens at once. Posts may arrive in any order of time as long as none lies before
// the time that was last settled.
class SemaphoreFile {
 public:
  explicit SemaphoreFile(std::size_t count) : semaphores_(count) {}

  // Adds `increment`, visible to waiters from `visible` on.
  void post(std::uint16_t semaphore, std::uint64_t increment, Picoseconds visible) {
    semaphores_[semaphore].final_value += increment;
    std::vector<Pending>& pending = semaphores_[semaphore].pending;
    std::size_t at = pending.size();
    pending.push_back({visible, increment});
    while (at > semaphores_[semaphore].head && visible < pending[at - 1].visible) {
      std::swap(pending[at], pending[at - 1]);
      --at;
    }
  }

  // Nothing will be asked or posted before `now` any more.
  void settle(std::uint16_t semaphore, Picoseconds now) {
    Semaphore& s = semaphores_[semaphore];
    while (s.head < s.pending.size() && s.pending[s.head].visible <= now)
      s.value += s.pending[s.head++].increment;
    if (s.head == s.pending.size()) {
      s.pending.clear();
      s.head = 0;
    } else if (s.head >= 1024) {
      s.pending.erase(s.pending.begin(), s.pending.begin() + static_cast<std::ptrdiff_t>(s.head));
      s.head = 0;
    }
  }

  // Back to zero at the time last settled; posts that are not visible yet stay.
  void clear(std::uint16_t semaphore) {
    Semaphore& s = semaphores_[semaphore];
    s.final_value -= s.value;
    s.value = 0;
  }

  // When the known posts bring the semaphore to `value`; nothing if they do not. Zero: already there.
  std::optional<Picoseconds> reached(std::uint16_t semaphore, std::int64_t value) const {
    const Semaphore& s = semaphores_[semaphore];
    std::uint64_t sum = s.value;
    if (value <= 0 || sum >= static_cast<std::uint64_t>(value)) return Picoseconds(0);
    for (std::size_t i = s.head; i < s.pending.size(); ++i) {
      sum += s.pending[i].increment;
      if (sum >= static_cast<std::uint64_t>(value)) return s.pending[i].visible;
    }
    return std::nullopt;
  }

  // Value once all known posts are in.
  std::uint64_t final_value(std::uint16_t semaphore) const { return semaphores_[semaphore].final_value; }

 private:
  struct Pending {
    Picoseconds visible;
    std::uint64_t increment;
  };
  struct Semaphore {
    std::uint64_t value = 0;  // settled
    std::uint64_t final_value = 0;
    std::size_t head = 0;
    std::vector<Pending> pending;  // sorted by time from `head` on
  };
  std::vector<Semaphore> semaphores_;
};

}  // namespace trn
