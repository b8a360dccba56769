// Everything that moves bytes on a machine, over time: one flow engine, its timers, and whose flow is whose.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "base/flow/flow_engine.h"

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

// Events of one time: first the completions in order of start, then the timers in order of request.
class Traffic {
 public:
  FlowEngine& flows() { return flows_; }
  const FlowEngine& flows() const { return flows_; }

  void start_flow(Picoseconds now, const FlowSpec& spec, TrafficActor& owner, std::uint64_t token);
  void start_timer(Picoseconds at, TrafficActor& owner, std::uint64_t token);

  // Time of the next event, nothing when all is quiet.
  std::optional<Picoseconds> next_event(Picoseconds now);
  // Handles every event at exactly `now`.
  void advance(Picoseconds now);

 private:
  struct Owner {
    TrafficActor* actor = nullptr;
    std::uint64_t token = 0;
  };
  struct Timer {
    Picoseconds at;
    std::uint64_t serial;
    Owner owner;
    bool operator<(const Timer& o) const { return at != o.at ? o.at < at : o.serial < serial; }
  };

  FlowEngine flows_;
  std::vector<Owner> owners_;  // by FlowId
  std::priority_queue<Timer> timers_;
  std::uint64_t next_serial_ = 0;
  std::vector<FlowId> completed_;
  std::vector<Owner> done_;
};

}  // namespace trn
