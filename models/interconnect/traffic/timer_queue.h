// Timers in order of time, and at one time in order of request.
#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <vector>

#include "base/flow/mix.h"
#include "models/interconnect/traffic/traffic_actor.h"

namespace trn {

// Ranks in lock-step ask for thousands of timers at one time. Requests for one time therefore form runs, and
// only runs are ordered in a heap. A run takes requests until another time needs its place; a later run of
// the same time comes after it, so that the order is that of request however runs are cut.
class TimerQueue {
 public:
  struct Owner {
    TrafficActor* actor = nullptr;
    std::uint64_t token = 0;
  };

  void push(Picoseconds at, Owner owner);
  // Picoseconds::max() if there is none.
  Picoseconds next() const { return due_.empty() ? Picoseconds::max() : due_.top().at; }
  // Takes the next run.
  void pop(std::vector<Owner>& owners);

 private:
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};
  struct Request {
    Owner owner;
    std::uint32_t next = kEnd;  // of the run, or of the free ones
  };
  struct Due {
    Picoseconds at;
    std::uint64_t serial;
    std::uint32_t first;
    bool operator<(const Due& o) const { return at != o.at ? o.at < at : o.serial < serial; }
  };
  // A run that still takes requests.
  struct Open {
    Picoseconds at = Picoseconds::max();
    std::uint32_t first = kEnd, last = kEnd;
  };
  Open& open_of(Picoseconds at) { return open_[mix(at.count()) % open_.size()]; }

  std::array<Open, 16> open_;
  std::vector<Request> requests_;
  std::uint32_t free_ = kEnd;
  std::priority_queue<Due> due_;
  std::uint64_t next_serial_ = 0;
};

}  // namespace trn
