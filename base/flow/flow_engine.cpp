#include "base/flow/flow_engine.h"

#include <algorithm>

#include "base/error.h"

namespace trn {
namespace {

// What is solved as a whole: small components, and those of which much has changed.
constexpr FlowGraph::Most kAsWhole{1, 1};

}  // namespace

std::uint32_t FlowEngine::add_resource(std::string name, double capacity, TurnShape turning) {
  TRN_CHECK(capacity > 0, "resource " + name + " without capacity");
  ledger_.add_resource(std::move(name), capacity);
  graph_.add_resource();
  sweep_.add_resource(capacity);
  return solver_.add_resource(capacity, turning);
}

FlowClassId FlowEngine::intern(const FlowShape& shape) {
  const std::uint64_t key = hash(shape);
  const auto [first, last] = interned_.equal_range(key);
  for (auto it = first; it != last; ++it)
    if (classes_[it->second].shape == shape) return it->second;
  const auto id = static_cast<FlowClassId>(classes_.size());
  Class& c = classes_.emplace_back();
  c.shape = shape;
  c.age = next_serial_++;
  c.interned = true;
  interned_.emplace(key, id);
  return id;
}

FlowId FlowEngine::start(Picoseconds now, const FlowSpec& spec) {
  FlowClassId id = static_cast<FlowClassId>(classes_.size());
  if (free_classes_.empty()) {
    classes_.emplace_back();
  } else {
    id = free_classes_.back();
    free_classes_.pop_back();
  }
  Class& c = classes_[id];
  c.shape.weight = spec.weight;
  c.shape.cap = spec.cap;
  c.shape.priority = spec.priority;
  c.shape.uses = spec.uses;  // copied into the slot's own storage: no allocation once slots are reused
  c.watch = spec.watch;
  c.age = next_serial_;
  return start(now, id, spec.bytes);
}

FlowId FlowEngine::start(Picoseconds now, FlowClassId flow_class, Bytes bytes) {
  TRN_CHECK(bytes.count() > 0, "a flow of no bytes");
  FlowId flow = static_cast<FlowId>(class_of_.size());
  if (free_.empty()) {
    class_of_.push_back(flow_class);
  } else {
    flow = free_.back();
    free_.pop_back();
    class_of_[flow] = flow_class;
  }
  if (active_count_++ == 0) active_since_ = now;
  Class& c = classes_[flow_class];
  c.queue.join(now, next_serial_++, flow, bytes);
  if (c.shape.uses.empty()) {  // limited by its own cap alone: nothing to solve
    TRN_CHECK(c.shape.cap < std::numeric_limits<double>::infinity(), "a flow is limited by nothing");
    c.queue.set_rate(c.shape.cap);
    ends_.set(flow_class, c.queue.first_end());
    return flow;
  }
  if (!c.attached) attach(flow_class);
  touch(flow_class, now);
  return flow;
}

std::optional<Picoseconds> FlowEngine::next_completion(Picoseconds now) {
  if (graph_.any_due()) settle(now);
  if (!ends_.empty()) return ends_.time();
  TRN_CHECK(active_count_ == 0, "an active flow has no rate");
  return std::nullopt;
}

void FlowEngine::take_completed(Picoseconds now, std::vector<FlowId>& completed) {
  completed.clear();
  ended_.clear();
  while (!ends_.empty() && ends_.time() <= now) {
    TRN_CHECK(ends_.time() == now, "a completion was skipped");
    take(ends_.item(), now);
  }
  order_.sort(ended_, completed);
  free_.insert(free_.end(), completed.begin(), completed.end());
  active_count_ -= completed.size();
  if (active_count_ == 0 && !completed.empty()) active_time_ += now - active_since_;
}

// The flows of a class that end now. Its next end is projected when its rate has been settled.
void FlowEngine::take(FlowClassId id, Picoseconds now) {
  Class& c = classes_[id];
  account(c, c.queue.take(now, ended_));
  ends_.remove(id);
  if (c.queue.empty()) rebind(c, kOwnCap, now);
  if (c.attached)
    touch(id, now);
  else if (!c.queue.empty())
    ends_.set(id, c.queue.first_end());
  else if (!c.interned)
    free_classes_.push_back(id);
}

void FlowEngine::attach(FlowClassId id) {
  Class& c = classes_[id];
  c.attached = true;
  c.changed = false;
  graph_.attach(id, c.shape.uses);
  census_.add(c.shape);
  sweep_.join(id, c.shape);
}

void FlowEngine::detach(FlowClassId id) {
  Class& c = classes_[id];
  c.attached = c.changed = false;
  graph_.detach(id);
  census_.remove(c.shape);
  sweep_.leave(id);
  if (!c.interned) free_classes_.push_back(id);
}

// All changes that are settled together are of one time: rates hold from there on.
void FlowEngine::touch(FlowClassId id, Picoseconds now) {
  TRN_CHECK(!graph_.any_due() || now == changed_at_, "time went on without asking for the next completion");
  changed_at_ = now;
  Class& c = classes_[id];
  if (c.changed) return;
  c.changed = true;
  changed_.push_back(id);
  graph_.touch(id);
}

void FlowEngine::settle(Picoseconds now) {
  for (const FlowClassId id : changed_)
    if (classes_[id].queue.empty()) {
      if (listener_ != nullptr) tell(id, now);
      detach(id);
    } else {
      sweep_.set_count(id, classes_[id].queue.size());
    }
  const bool reach = reach_ == Reach::kChanged && census_.plain();
  const FlowGraph::Most most = reach ? kAsWhole : FlowGraph::Most{classes_.size(), 0};
  while (graph_.next_due(component_, most)) settle_component(now);
  if (graph_.any_due()) settle_reached(now);
  changed_.clear();
}

void FlowEngine::settle_component(Picoseconds now) {
  const RateMemo::Entry& rates = rates_of_component();
  for (const TurningSolver::Turning& turning : rates.result.turning) turn(turning, now);
  for (std::size_t i = 0; i < rates.members.size(); ++i) {
    sweep_.set_share(rates.members[i].flow_class, rates.result.shares[i]);
    apply(rates.members[i].flow_class, rates.result.shares[i], now);
  }
}

void FlowEngine::settle_reached(Picoseconds now) {
  ++sweeps_;
  graph_.take_due(due_);
  sweep_.solve(graph_, due_, changed_, reached_);
  reached_classes_ += reached_.size();
  for (const FlowClassId id : reached_) apply(id, sweep_.share(id), now);
  for (const FlowClassId id : changed_)
    if (classes_[id].changed) apply(id, sweep_.share(id), now);
}

// Known from before, or solved.
const RateMemo::Entry& FlowEngine::rates_of_component() {
  const bool lasting = std::all_of(component_.begin(), component_.end(),
                                   [this](FlowClassId id) { return classes_[id].interned; });
  std::uint64_t key = 0;
  if (lasting) {
    for (const FlowClassId id : component_) key += RateMemo::key({id, classes_[id].queue.size()});
    const RateMemo::Entry* const known =
        memo_.find(key, component_, [this](FlowClassId id) { return classes_[id].queue.size(); });
    if (known != nullptr) {
      ++recalled_;
      return *known;
    }
  }
  ++solves_;
  std::sort(component_.begin(), component_.end(),
            [this](FlowClassId a, FlowClassId b) { return classes_[a].age < classes_[b].age; });
  demands_.clear();
  solved_.members.clear();
  for (const FlowClassId id : component_) {
    const Class& c = classes_[id];
    solved_.members.push_back({id, c.queue.size()});
    demands_.push_back(
        {c.shape.weight, c.shape.cap, c.shape.priority, &c.shape.uses, static_cast<double>(c.queue.size())});
  }
  solver_.solve(demands_, solved_.result);
  if (lasting) memo_.add(key, solved_);
  return solved_;
}

void FlowEngine::apply(FlowClassId id, const FlowShare& share, Picoseconds now) {
  Class& c = classes_[id];
  const bool same_rate = share.rate == c.queue.rate();
  if (!same_rate || share.binding != c.binding) {
    account(c, c.queue.advance(now));
    rebind(c, share.binding, now);
    c.queue.set_rate(share.rate);
  }
  if (same_rate && !c.changed) return;
  if (listener_ != nullptr) tell(id, now);
  c.changed = false;
  graph_.settled(id);
  const Picoseconds end = c.queue.first_end();
  if (end < Picoseconds::max())
    ends_.set(id, end);
  else
    ends_.remove(id);  // starved by a higher priority: waits without a projected end
}

// Up to now the turns cost what they did; from now on something else.
void FlowEngine::turn(const TurningSolver::Turning& turning, Picoseconds now) {
  if (turning.part == ledger_.turning(turning.resource)) return;
  for (const FlowGraph::Stand& stand : graph_.on(turning.resource)) {
    Class& c = classes_[stand.flow_class];
    account(c, c.queue.advance(now));
  }
  ledger_.set_turning(turning.resource, turning.part);
}

void FlowEngine::account(Class& c, const ServiceQueue::Served& served) {
  if (served.bytes > 0) ledger_.book(c.shape.uses, served.bytes);
  if (c.binding == kOwnCap) return;
  ledger_.add_bound(c.binding, served.picoseconds);
  if (c.watch == nullptr || c.watch->resource != c.binding) return;
  c.watch->picoseconds += served.picoseconds;
  c.watch->bytes += served.bytes;
}

void FlowEngine::rebind(Class& c, std::uint32_t binding, Picoseconds now) {
  if (binding == c.binding) return;
  if (c.binding != kOwnCap) ledger_.release(c.binding, now);
  c.binding = binding;
  if (binding != kOwnCap) ledger_.bind(binding, now);
}

void FlowEngine::tell(FlowClassId id, Picoseconds now) {
  const Class& c = classes_[id];
  listener_->rate_changed(id, c.shape, !c.interned, c.queue.rate() * static_cast<double>(c.queue.size()),
                          now);
}

}  // namespace trn
