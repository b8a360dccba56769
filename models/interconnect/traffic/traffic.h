// Everything that moves bytes on a machine, over time: what moves it, its timers, and whose flow is whose.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/flow/flow_engine.h"
#include "models/interconnect/traffic/timer_queue.h"
#include "models/interconnect/traffic/traffic_actor.h"

namespace trn {

// Events of one time: first the completions in order of start, then the timers in order of request.
class Traffic {
 public:
  Traffic() : Traffic(std::make_unique<FlowEngine>()) {}
  // With another way of moving flows, for comparison.
  explicit Traffic(std::unique_ptr<FlowMover> mover);

  FlowMover& mover() { return *mover_; }
  // The flow engine, where that is what moves.
  FlowEngine& flows() { return *engine(); }
  const FlowEngine& flows() const { return *engine(); }

  void start_flow(Picoseconds now, const FlowSpec& spec, TrafficActor& owner, std::uint64_t token);
  void start_flow(Picoseconds now, FlowClassId flow_class, Bytes bytes, TrafficActor& owner,
                  std::uint64_t token);
  void start_timer(Picoseconds at, TrafficActor& owner, std::uint64_t token);

  // Time of the next event, nothing when all is quiet.
  std::optional<Picoseconds> next_event(Picoseconds now);
  // Handles every event at exactly `now`.
  void advance(Picoseconds now);

 private:
  using Owner = TimerQueue::Owner;
  FlowEngine* engine() const;
  void own(FlowId flow, Owner owner);

  std::unique_ptr<FlowMover> mover_;
  FlowEngine* engine_;         // if that is the mover
  std::vector<Owner> owners_;  // by FlowId
  TimerQueue timers_;
  std::vector<FlowId> completed_;
  std::vector<Owner> done_;
};

}  // namespace trn
