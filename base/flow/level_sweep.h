// After a change, the new max-min rates from the old ones, looking only at what the change reaches.
#pragma once

#include <cstdint>
#include <vector>

#include "base/flow/flow_graph.h"
#include "base/flow/max_min.h"

namespace trn {

// A class's level is the rate of one flow by its weight. Rates are max-min fair if and only if every class is
// at its cap or crosses a full resource on which no level is higher: its bottleneck. Hence what happens at a
// level does not depend on what happens above it, and the sweep goes up from the lowest level at which
// anything may change. Classes hold their old level until the sweep meets a reason:
// - a resource fills up below the level they hold: they get what it gives, and make room on their others;
// - their bottleneck has room at the level at which it was full: they rise, until another resource is full or
//   their cap is met, and fill up their others earlier.
// So every class settles once, and the result is that of filling everything anew, but for rounding.
// One priority only, and no resource that pays for turning around.
class LevelSweep {
 public:
  void add_resource(double capacity) { resources_.emplace_back().capacity = capacity; }

  // The class joins without a rate, changes, or leaves.
  void join(FlowClassId id, const FlowShape& shape);
  void set_count(FlowClassId id, std::uint32_t flows);
  void leave(FlowClassId id);
  // Its share has been found in another way.
  void set_share(FlowClassId id, const FlowShare& share);

  FlowShare share(FlowClassId id) const { return {rates_[id].now, standings_[id].binding}; }

  // `due`: the resources of all classes that joined, changed or left; `changed`: at least those that joined.
  // Fills in the classes with a new share, in the order in which they got it.
  void solve(const FlowGraph& graph, const std::vector<std::uint32_t>& due,
             const std::vector<FlowClassId>& changed, std::vector<FlowClassId>& settled);

 private:
  enum class State : std::uint8_t {
    kHeld,     // at its old level, until the sweep meets a reason to change it
    kNew,      // not yet met by a sweep
    kRising,   // with the level of the sweep
    kSettled,  // for the rest of the sweep
  };
  struct Standing {
    double level = 0;
    double weights = 0;  // of all flows
    double cap = 0;      // as a level
    std::uint32_t binding = kOwnCap;
    State state = State::kHeld;
  };
  struct Rate {
    double weight = 1, cap = 0, now = 0;  // of one flow
  };
  struct Resource {
    double capacity = 0;
    // Levels:
    double full_at = 0;
    double was_full_at = 0;                                   // the highest of a class that it holds back
    double due_at = std::numeric_limits<double>::infinity();  // of its next event

    bool known = false;   // `full_at` and `was_full_at` are up to date
    bool loaded = false;  // may not hold what is there, even if nobody rises
    bool waits = false;   // to be looked at
    bool grave = false;   // has an event that is one even if nobody rises
    bool full = false;    // at the level of the sweep
    // So many classes:
    std::uint32_t binds = 0, rising = 0;
  };
  struct Event {
    double level;
    std::uint64_t item;  // a class at its cap, or kResource + a resource
  };
  struct Later;

  void look_at_waiting();
  void forget_events();
  void take_event();
  void look_at(std::uint32_t resource);
  void find_level(std::uint32_t resource);
  void release(std::uint32_t resource);
  void fill();
  void rename(FlowClassId id, std::uint32_t binding);
  void rise(FlowClassId id);
  void settle(FlowClassId id, double level, std::uint32_t binding);
  void bind(Standing& standing, std::uint32_t binding);
  void revisit(std::uint32_t resource);
  void push(Event event);

  std::vector<Standing> standings_;  // by class
  std::vector<Rate> rates_;          // by class
  std::vector<Resource> resources_;
  std::vector<Event> events_;  // heap, as soon as
  bool heaped_ = false;
  std::vector<std::uint32_t> waiting_;  // resources that wait to be looked at
  double level_ = 0;                    // of the sweep
  std::vector<std::uint32_t> full_;     // resources, at this level
  const FlowGraph* graph_ = nullptr;
  std::vector<FlowClassId>* settled_ = nullptr;
  std::size_t rising_ = 0;  // classes
  std::size_t grave_ = 0;   // resources
};

}  // namespace trn
