#include "base/flow/level_sweep.h"

#include <algorithm>

#include "base/error.h"

namespace trn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kResource = std::uint64_t{1} << 32;
// Levels this close are one: far above the rounding of a sum, far below anything a user could see. What has
// been held stays the same bits then, so that rounding does not run through the machine.
constexpr double kAbove = 1 + 1e-13, kBelow = 1 - 1e-13;

}  // namespace

// At one level caps come first, as they do when everything is filled anew.
struct LevelSweep::Later {
  bool operator()(const Event& a, const Event& b) const {
    return a.level != b.level ? b.level < a.level : b.item < a.item;
  }
};

void LevelSweep::join(FlowClassId id, const FlowShape& shape) {
  if (standings_.size() <= id) {
    standings_.resize(id + 1);
    rates_.resize(id + 1);
  }
  rates_[id] = {shape.weight, shape.cap, 0};
  standings_[id] = {0, 0, shape.cap / shape.weight, kOwnCap, State::kNew};
}

void LevelSweep::set_count(FlowClassId id, std::uint32_t flows) {
  standings_[id].weights = rates_[id].weight * flows;
}

void LevelSweep::leave(FlowClassId id) {
  bind(standings_[id], kOwnCap);
  standings_[id].state = State::kHeld;
}

void LevelSweep::set_share(FlowClassId id, const FlowShare& share) {
  Standing& standing = standings_[id];
  standing.level = share.rate / rates_[id].weight;
  standing.state = State::kHeld;
  bind(standing, share.binding);
  rates_[id].now = share.rate;
}

void LevelSweep::bind(Standing& standing, std::uint32_t binding) {
  if (standing.binding != kOwnCap) --resources_[standing.binding].binds;
  standing.binding = binding;
  if (binding != kOwnCap) ++resources_[binding].binds;
}

void LevelSweep::push(Event event) {
  events_.push_back(event);
  if (heaped_) std::push_heap(events_.begin(), events_.end(), Later());
}

// To be looked at once more before the sweep goes on.
void LevelSweep::revisit(std::uint32_t resource) {
  Resource& r = resources_[resource];
  r.known = false;
  if (r.waits) return;
  r.waits = true;
  waiting_.push_back(resource);
}

void LevelSweep::solve(const FlowGraph& graph, const std::vector<std::uint32_t>& due,
                       const std::vector<FlowClassId>& changed, std::vector<FlowClassId>& settled) {
  graph_ = &graph;
  settled_ = &settled;
  settled.clear();
  level_ = 0;
  for (const std::uint32_t r : due) {
    resources_[r].loaded = true;
    revisit(r);
  }
  for (const FlowClassId id : changed)
    if (standings_[id].state == State::kNew) rise(id);
  look_at_waiting();
  // Most events are known by now: to heap them at once is linear.
  std::make_heap(events_.begin(), events_.end(), Later());
  heaped_ = true;
  for (;; look_at_waiting()) {
    if (rising_ == 0 && grave_ == 0 && full_.empty()) break;
    if (!events_.empty() && (full_.empty() || events_.front().level <= level_ * kAbove))
      take_event();
    else if (!full_.empty())
      fill();
    else
      break;
  }
  forget_events();
  heaped_ = false;
  TRN_CHECK(rising_ == 0, "a flow is limited by nothing");
  for (const FlowClassId id : settled) standings_[id].state = State::kHeld;
}

void LevelSweep::look_at_waiting() {
  while (!waiting_.empty()) {
    const std::uint32_t resource = waiting_.back();
    waiting_.pop_back();
    resources_[resource].waits = false;
    look_at(resource);
  }
}

// Those that would come after the end.
void LevelSweep::forget_events() {
  for (const Event& event : events_)
    if (event.item >= kResource) resources_[event.item - kResource].due_at = kInfinity;
  events_.clear();
}

void LevelSweep::take_event() {
  const Event event = events_.front();
  std::pop_heap(events_.begin(), events_.end(), Later());
  events_.pop_back();
  if (event.item < kResource) {
    if (full_.empty()) level_ = event.level;
    const auto id = static_cast<FlowClassId>(event.item);
    if (standings_[id].state == State::kRising) settle(id, event.level, kOwnCap);
    return;
  }
  const auto resource = static_cast<std::uint32_t>(event.item - kResource);
  Resource& r = resources_[resource];
  if (r.due_at != event.level) return;  // an earlier event has taken its place
  r.due_at = kInfinity;
  if (full_.empty()) level_ = event.level;
  look_at(resource);
}

// At the level of the sweep. Something happens here, or the resource comes again at the level at which it
// will.
void LevelSweep::look_at(std::uint32_t resource) {
  Resource& r = resources_[resource];
  grave_ -= r.grave ? 1 : 0;
  r.grave = false;
  if (!r.known) {
    // Nobody would gain by the room that others made.
    if (!r.loaded && r.binds == 0 && r.rising == 0) return;
    find_level(resource);
  }
  const double level = std::min(r.full_at, r.was_full_at);
  if (level > level_ * kAbove) {
    if (level == kInfinity) return;
    r.grave = r.loaded || r.binds > 0;
    grave_ += r.grave ? 1 : 0;
    if (level >= r.due_at) return;  // comes earlier, and is looked at again then
    r.due_at = level;
    push({level, kResource + resource});
  } else if (r.was_full_at * kAbove < r.full_at) {
    release(resource);
  } else if (!r.full) {
    r.full = true;
    full_.push_back(resource);
  }
}

// Where the resource fills up, if those that hold a level keep it as far as they can, except those that this
// resource holds back: they would rise, and where they cannot, it is full at their level. What it takes up to
// a level is concave, a sum of min(level, limit): the tangent from any level meets the capacity too early or
// just right, and from there on converges from below.
void LevelSweep::find_level(std::uint32_t resource) {
  Resource& r = resources_[resource];
  r.known = true;
  r.loaded = false;
  r.was_full_at = kInfinity;
  double highest = -1;
  double from = kInfinity;
  for (;;) {
    double used = 0, slope = 0;
    double next = kInfinity;  // the lowest limit that is not yet met
    double last = 0;          // the highest that is
    for (const FlowGraph::Stand& stand : graph_->on(resource)) {
      const Standing& s = standings_[stand.flow_class];
      const double share = stand.coefficient * s.weights;
      double limit = s.cap;
      if (s.binding == resource) {
        if (s.state == State::kHeld) highest = std::max(highest, s.level);
      } else if (s.state != State::kRising) {
        limit = s.level;
      }
      if (limit == kInfinity || limit > from) {
        slope += share;
        next = std::min(next, limit);
      } else {
        used += share * limit;
        last = std::max(last, limit);
      }
    }
    const double room = r.capacity - used;
    if (slope == 0 && room >= r.capacity * (1 - kAbove)) {
      r.full_at = kInfinity;
      break;
    }
    r.full_at = slope == 0 ? 0 : std::max(0.0, room) / slope;
    if ((last <= r.full_at && r.full_at <= next) || (from < kInfinity && r.full_at <= from)) break;
    r.loaded = true;
    from = r.full_at;
  }
  if (highest >= 0) r.was_full_at = highest;
}

// Has room at the level at which it was full.
void LevelSweep::release(std::uint32_t resource) {
  for (const FlowGraph::Stand& stand : graph_->on(resource)) {
    const Standing& s = standings_[stand.flow_class];
    if (s.state == State::kHeld && s.binding == resource) rise(stand.flow_class);
  }
}

// All that are full at one level, in order of number: of several bottlenecks the first is named, as it is
// when everything is filled anew.
void LevelSweep::fill() {
  std::sort(full_.begin(), full_.end());
  for (const std::uint32_t resource : full_)
    for (const FlowGraph::Stand& stand : graph_->on(resource)) {
      Standing& s = standings_[stand.flow_class];
      if (stand.coefficient <= 0) continue;
      if (s.state == State::kRising || (s.state == State::kHeld && s.level > level_ * kAbove))
        settle(stand.flow_class, level_, resource);
      else if (resource < s.binding && s.binding != kOwnCap && s.level >= level_ * kBelow)
        rename(stand.flow_class, resource);
    }
  for (const std::uint32_t resource : full_) resources_[resource].full = false;
  full_.clear();
}

void LevelSweep::rename(FlowClassId id, std::uint32_t binding) {
  Standing& standing = standings_[id];
  bind(standing, binding);
  if (standing.state == State::kSettled) return;
  standing.state = State::kSettled;
  settled_->push_back(id);
}

void LevelSweep::rise(FlowClassId id) {
  Standing& standing = standings_[id];
  if (standing.binding != kOwnCap) bind(standing, kOwnCap);
  standing.state = State::kRising;
  ++rising_;
  if (standing.cap < kInfinity) push({standing.cap, id});
  for (const FlowGraph::Link& link : graph_->links(id)) {
    Resource& r = resources_[link.resource];
    ++r.rising;
    r.loaded = true;
    revisit(link.resource);
  }
}

void LevelSweep::settle(FlowClassId id, double level, std::uint32_t binding) {
  Standing& standing = standings_[id];
  const bool rising = standing.state == State::kRising;
  standing.state = State::kSettled;
  settled_->push_back(id);
  Rate& rate = rates_[id];
  if (level > standing.level * kAbove || level < standing.level * kBelow) {
    standing.level = level;
    rate.now = binding == kOwnCap ? rate.cap : level * rate.weight;
  }
  bind(standing, binding);
  rising_ -= rising ? 1 : 0;
  for (const FlowGraph::Link& link : graph_->links(id)) {
    Resource& r = resources_[link.resource];
    r.rising -= rising ? 1 : 0;
    if (r.full) continue;
    r.known = false;
    if (r.binds > 0) revisit(link.resource);
  }
}

}  // namespace trn
