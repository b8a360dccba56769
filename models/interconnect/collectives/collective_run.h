// One collective in flight: starts each step when what it waits for has come, and hears when its bytes are
// through.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/interconnect/collectives/move_listener.h"
#include "models/interconnect/collectives/resources.h"
#include "models/interconnect/collectives/schedule/dependencies.h"
#include "models/interconnect/traffic/traffic.h"

namespace trn {

// How the ranks start. A step starts a step latency after the data it waits for, and straight after its
// predecessor on the same pre-built DMA ring; a CC-core triggers one step after the other.
struct CollectiveStart {
  CollectiveConfig config;
  std::uint32_t priority = 0;
  Picoseconds trigger;               // of a step, on the rank's CC-cores of one stream
  std::vector<Picoseconds> delay;    // by rank, after the start; empty: none
  MoveListener* listener = nullptr;  // outlives the run
};

class CollectiveRun : public TrafficActor {
 public:
  // The arguments but `schedule` and `start` must outlive the run. `done` is called when the last byte has
  // arrived.
  CollectiveRun(Traffic& traffic, const MovePaths& paths, const CollectiveResources& resources,
                std::shared_ptr<const Schedule> schedule, CollectiveStart start,
                std::function<void(Picoseconds)> done);

  void start(Picoseconds now);
  void flow_done(std::uint64_t token, Picoseconds now) override;
  void timer(std::uint64_t token, Picoseconds now) override;
  std::uint64_t moves() const { return moves_; }
  // Moves are left, and nothing that is under way can start one.
  bool stuck() const { return open_ > 0 && active_ == 0; }
  // How many, and what the first ones wait for: for a DeadlockError.
  std::string describe_stuck() const;

 private:
  // One rank's part of one step, numbered step * sites + site.
  struct State {
    Picoseconds earliest;       // by the dependencies met so far
    std::uint32_t waiting = 0;  // open dependencies
    bool triggered = false;     // its CC-core's turn is fixed
    bool done = false;
  };
  // What all moves of one pattern and rank have in common.
  struct Lane {
    bool known = false;
    FlowClassId flow_class = 0;
    std::vector<Picoseconds> latency;  // by destination
  };
  std::uint32_t step_of(std::uint64_t state) const { return static_cast<std::uint32_t>(state / sites_); }
  std::uint32_t site_of(std::uint64_t state) const { return static_cast<std::uint32_t>(state % sites_); }
  Lane& lane(const Step& step, std::uint32_t site);
  Picoseconds delay(const Step& step, std::uint32_t site) const;
  void start_at(Picoseconds at, std::uint64_t state);
  std::vector<std::string> missing(std::uint32_t step, std::uint32_t site) const;
  void unlock(const std::vector<std::uint32_t>& steps, std::uint32_t site, Picoseconds at, Picoseconds now);

  Traffic& traffic_;
  const MovePaths& paths_;
  const std::shared_ptr<const Schedule> schedule_;
  const CollectiveStart start_;
  const std::function<void(Picoseconds)> done_;
  const Dependencies dependencies_;
  const std::uint64_t sites_;  // ranks simulated
  std::vector<State> states_;
  std::vector<Lane> lanes_;                // by pattern and site
  std::vector<Picoseconds> trigger_free_;  // by site
  std::vector<Picoseconds> started_;       // by state; only for a listener
  std::uint64_t moves_ = 0, open_ = 0;
  std::uint64_t active_ = 0;  // of the open ones, those that nothing holds back
  Picoseconds last_arrival_;
};

}  // namespace trn
