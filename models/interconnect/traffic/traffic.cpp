#include "models/interconnect/traffic/traffic.h"

#include "base/error.h"

namespace trn {

void Traffic::start_flow(Picoseconds now, const FlowSpec& spec, TrafficActor& owner, std::uint64_t token) {
  const FlowId id = flows_.start(now, spec);
  if (owners_.size() <= id) owners_.resize(id + 1);
  owners_[id] = {&owner, token};
}

void Traffic::start_timer(Picoseconds at, TrafficActor& owner, std::uint64_t token) {
  timers_.push({at, next_serial_++, {&owner, token}});
}

std::optional<Picoseconds> Traffic::next_event(Picoseconds now) {
  std::optional<Picoseconds> next = flows_.next_completion(now);
  if (!timers_.empty() && (!next || timers_.top().at < *next)) next = timers_.top().at;
  return next;
}

void Traffic::advance(Picoseconds now) {
  for (;;) {
    const std::optional<Picoseconds> next = next_event(now);
    if (!next || *next > now) return;
    TRN_CHECK(*next == now, "a traffic event was skipped");
    flows_.take_completed(now, completed_);
    done_.clear();  // a callback may start flows that reuse the numbers
    for (const FlowId id : completed_) done_.push_back(owners_[id]);
    for (const Owner& owner : done_) owner.actor->flow_done(owner.token, now);
    while (!timers_.empty() && timers_.top().at <= now) {
      const Timer timer = timers_.top();
      timers_.pop();
      timer.owner.actor->timer(timer.owner.token, now);
    }
  }
}

}  // namespace trn
