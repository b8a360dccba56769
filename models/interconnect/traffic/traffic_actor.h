// Whoever is called back when something that moves bytes gets somewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "base/units.h"

namespace trn {

// Owns flows and timers: DMA queues, collectives. Called back at the simulated time of the event.
class TrafficActor {
 public:
  virtual ~TrafficActor() = default;
  virtual void flow_done(std::uint64_t token, Picoseconds now) = 0;
  virtual void timer(std::uint64_t token, Picoseconds now) = 0;
};

// Owns timers only.
class TimerActor : public TrafficActor {
 public:
  explicit TimerActor(std::function<void(std::uint64_t token, Picoseconds now)> fired)
      : fired_(std::move(fired)) {}
  void flow_done(std::uint64_t, Picoseconds) override {}
  void timer(std::uint64_t token, Picoseconds now) override { fired_(token, now); }

 private:
  std::function<void(std::uint64_t, Picoseconds)> fired_;
};

}  // namespace trn
