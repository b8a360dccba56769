#include "models/interconnect/traffic/traffic.h"

#include "base/error.h"

namespace trn {

Traffic::Traffic(std::unique_ptr<FlowMover> mover)
    : mover_(std::move(mover)), engine_(dynamic_cast<FlowEngine*>(mover_.get())) {}

FlowEngine* Traffic::engine() const {
  TRN_CHECK(engine_ != nullptr, "flows are not moved by the flow engine");
  return engine_;
}

void Traffic::start_flow(Picoseconds now, const FlowSpec& spec, TrafficActor& owner, std::uint64_t token) {
  own(mover_->start(now, spec), {&owner, token});
}

void Traffic::start_flow(Picoseconds now, FlowClassId flow_class, Bytes bytes, TrafficActor& owner,
                         std::uint64_t token) {
  own(mover_->start(now, flow_class, bytes), {&owner, token});
}

void Traffic::own(FlowId flow, Owner owner) {
  if (owners_.size() <= flow) owners_.resize(flow + 1);
  owners_[flow] = owner;
}

void Traffic::start_timer(Picoseconds at, TrafficActor& owner, std::uint64_t token) {
  timers_.push(at, {&owner, token});
}

std::optional<Picoseconds> Traffic::next_event(Picoseconds now) {
  const std::optional<Picoseconds> flow = mover_->next_completion(now);
  const Picoseconds timer = timers_.next();
  if (flow && *flow <= timer) return flow;
  if (timer == Picoseconds::max()) return std::nullopt;
  return timer;
}

void Traffic::advance(Picoseconds now) {
  for (;;) {
    const std::optional<Picoseconds> next = next_event(now);
    if (!next || *next > now) return;
    TRN_CHECK(*next == now, "a traffic event was skipped");
    mover_->take_completed(now, completed_);
    done_.clear();  // a callback may start flows that reuse the numbers
    for (const FlowId id : completed_) done_.push_back(owners_[id]);
    for (const Owner& owner : done_) owner.actor->flow_done(owner.token, now);
    while (timers_.next() <= now) {
      timers_.pop(done_);
      for (const Owner& owner : done_) owner.actor->timer(owner.token, now);
    }
  }
}

}  // namespace trn
