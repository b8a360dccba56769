#include "base/flow/flow_engine.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace trn {

std::uint32_t FlowEngine::add_resource(std::string name, double capacity, TurnShape turning) {
  TRN_CHECK(capacity > 0, "resource " + name + " without capacity");
  Resource& resource = resources_.emplace_back();
  resource.name = std::move(name);
  resource.capacity = capacity;
  resource.turn_shape = turning;
  return static_cast<std::uint32_t>(resources_.size() - 1);
}

FlowId FlowEngine::start(Picoseconds now, const FlowSpec& spec) {
  TRN_CHECK(spec.bytes.count() > 0, "a flow of no bytes");
  FlowId id = static_cast<FlowId>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Flow& flow = flows_[id];
  flow.spec = spec;  // copied into the slot's own storage: no allocation once slots are reused
  flow.remaining = static_cast<double>(flow.spec.bytes.count());
  flow.rate = 0;
  flow.binding = kOwnCap;
  flow.since = now;
  flow.finish = Picoseconds::max();
  flow.serial = next_serial_++;
  ++flow.version;
  flow.active = true;
  if (active_count_++ == 0) active_since_ = now;
  for (const FlowUse& use : flow.spec.uses) resources_[use.resource].flows.push_back(id);
  mark_dirty(flow);
  if (flow.spec.uses.empty()) {  // limited by its own cap alone: nothing to solve
    flow.rate = flow.spec.cap;
    flow.finish = now + Picoseconds(static_cast<std::uint64_t>(std::ceil(flow.remaining / flow.rate)));
    projected_.push({flow.finish, flow.serial, id, flow.version});
  }
  return id;
}

std::optional<Picoseconds> FlowEngine::next_completion(Picoseconds now) {
  settle(now);
  while (!projected_.empty()) {
    const Projected& top = projected_.top();
    const Flow& flow = flows_[top.flow];
    if (flow.active && flow.version == top.version) return top.finish;
    projected_.pop();
  }
  TRN_CHECK(active_count_ == 0, "an active flow has no rate");
  return std::nullopt;
}

void FlowEngine::take_completed(Picoseconds now, std::vector<FlowId>& completed) {
  completed.clear();
  while (!projected_.empty() && projected_.top().finish <= now) {
    const Projected top = projected_.top();
    projected_.pop();
    Flow& flow = flows_[top.flow];
    if (!flow.active || flow.version != top.version) continue;
    TRN_CHECK(top.finish == now, "a completion was skipped");
    account(flow, now);
    flow.active = false;
    rebind(flow, kOwnCap, now);
    if (--active_count_ == 0) active_time_ += now - active_since_;
    for (const FlowUse& use : flow.spec.uses) {
      std::vector<FlowId>& list = resources_[use.resource].flows;
      list.erase(std::find(list.begin(), list.end(), top.flow));
    }
    mark_dirty(flow);
    completed.push_back(top.flow);
  }
  free_.insert(free_.end(), completed.begin(), completed.end());
}

std::vector<FlowEngine::ResourceReport> FlowEngine::report() const {
  std::vector<ResourceReport> rows;
  for (const Resource& r : resources_)
    rows.push_back(
        {r.name, r.capacity, r.units_moved, r.turn_units, r.payload, r.bound_picoseconds, r.binding});
  return rows;
}

void FlowEngine::mark_dirty(const Flow& flow) {
  for (const FlowUse& use : flow.spec.uses) {
    Resource& resource = resources_[use.resource];
    if (!resource.dirty) dirty_.push_back(use.resource);
    resource.dirty = true;
  }
}

void FlowEngine::settle(Picoseconds now) {
  if (dirty_.empty()) return;
  std::sort(dirty_.begin(), dirty_.end());
  for (const std::uint32_t r : dirty_) {
    if (!resources_[r].dirty) continue;
    collect_component(r);
    solve_component(now);
  }
  dirty_.clear();
}

void FlowEngine::collect_component(std::uint32_t from) {
  component_flows_.clear();
  component_resources_.assign(1, from);
  resources_[from].visited = true;
  for (std::size_t i = 0; i < component_resources_.size(); ++i) {
    Resource& resource = resources_[component_resources_[i]];
    resource.dirty = false;
    for (const FlowId id : resource.flows) {
      if (flows_[id].visited) continue;
      flows_[id].visited = true;
      component_flows_.push_back(id);
      for (const FlowUse& use : flows_[id].spec.uses) {
        if (resources_[use.resource].visited) continue;
        resources_[use.resource].visited = true;
        component_resources_.push_back(use.resource);
      }
    }
  }
  std::sort(component_resources_.begin(), component_resources_.end());
  std::sort(component_flows_.begin(), component_flows_.end(),
            [this](FlowId a, FlowId b) { return flows_[a].serial < flows_[b].serial; });
}

void FlowEngine::solve_component(Picoseconds now) {
  capacity_.clear();
  for (const std::uint32_t r : component_resources_) {
    resources_[r].visited = false;
    resources_[r].local = static_cast<std::uint32_t>(capacity_.size());
    capacity_.push_back(resources_[r].capacity);
  }
  if (component_flows_.empty()) return;
  for (const FlowId id : component_flows_) flows_[id].visited = false;
  // First without turning around; where the flows then fill a bus in both directions, again with what it
  // costs.
  fill_demands();
  ++solves_;
  const std::vector<FlowShare>* solved = &solver_.solve(capacity_, demands_);
  if (find_turning(*solved, now)) {
    charge_turns();
    solved = &solver_.solve(capacity_, demands_);
  }
  const std::vector<FlowShare>& shares = *solved;
  for (std::size_t i = 0; i < component_flows_.size(); ++i) {
    Flow& flow = flows_[component_flows_[i]];
    const std::uint32_t binding =
        shares[i].binding == kOwnCap ? kOwnCap : component_resources_[shares[i].binding];
    if (shares[i].rate == flow.rate && binding == flow.binding) continue;
    account(flow, now);
    rebind(flow, binding, now);
    if (shares[i].rate == flow.rate) continue;
    flow.rate = shares[i].rate;
    ++flow.version;
    if (flow.rate <= 0) continue;  // starved by a higher class: waits without a projected end
    flow.finish = now + Picoseconds(static_cast<std::uint64_t>(std::ceil(flow.remaining / flow.rate)));
    projected_.push({flow.finish, flow.serial, component_flows_[i], flow.version});
  }
}

void FlowEngine::fill_demands() {
  if (local_uses_.size() < component_flows_.size()) local_uses_.resize(component_flows_.size());
  demands_.clear();
  for (std::size_t i = 0; i < component_flows_.size(); ++i) {
    const Flow& flow = flows_[component_flows_[i]];
    local_uses_[i].clear();
    for (const FlowUse& use : flow.spec.uses)
      local_uses_[i].push_back({resources_[use.resource].local, use.coefficient});
    demands_.push_back({flow.spec.weight, flow.spec.cap, flow.spec.priority, &local_uses_[i]});
  }
}

void FlowEngine::charge_turns() {
  for (std::size_t i = 0; i < component_flows_.size(); ++i) {
    const std::vector<FlowUse>& uses = flows_[component_flows_[i]].spec.uses;
    for (std::size_t u = 0; u < uses.size(); ++u)
      local_uses_[i][u].coefficient += uses[u].turn * resources_[uses[u].resource].turning;
  }
}

// How evenly both directions are used at these rates; true where turning around does not fit in beside them.
bool FlowEngine::find_turning(const std::vector<FlowShare>& shares, Picoseconds now) {
  directions_.assign(component_resources_.size(), {});
  for (std::size_t i = 0; i < component_flows_.size(); ++i) {
    for (const FlowUse& use : flows_[component_flows_[i]].spec.uses) {
      Directions& d = directions_[resources_[use.resource].local];
      d.load += shares[i].rate * use.coefficient;
      if (use.turn == 0) continue;
      const double payload = shares[i].rate * use.payload;
      d.write += payload * use.write_share;
      d.read += payload * (1 - use.write_share);
      d.turn += shares[i].rate * use.turn;
    }
  }
  bool full = false;
  for (std::size_t r = 0; r < directions_.size(); ++r) {
    const Directions& d = directions_[r];
    Resource& resource = resources_[component_resources_[r]];
    const double turning = d.read + d.write > 0 ? resource.turn_shape.at(d.write / (d.read + d.write)) : 0;
    full = full || (turning > 0 && d.load + turning * d.turn > resource.capacity);
    if (turning == resource.turning) continue;
    for (const FlowId id : resource.flows) account(flows_[id], now);  // at what held until now
    resource.turning = turning;
  }
  return full;
}

void FlowEngine::account(Flow& flow, Picoseconds now) {
  const double elapsed = static_cast<double>((now - flow.since).count());
  const double moved = std::min(flow.remaining, flow.rate * elapsed);
  const double done = flow.finish == now ? flow.remaining : moved;
  flow.remaining -= done;
  flow.since = now;
  for (const FlowUse& use : flow.spec.uses) {
    Resource& resource = resources_[use.resource];
    const double turn = done * use.turn * resource.turning;
    resource.units_moved += done * use.coefficient + turn;
    resource.turn_units += turn;
    resource.payload += done * use.payload;
  }
  if (flow.binding == kOwnCap) return;
  resources_[flow.binding].bound_picoseconds += elapsed;
  FlowWatch* const watch = flow.spec.watch;
  if (watch == nullptr || watch->resource != flow.binding) return;
  watch->picoseconds += elapsed;
  watch->bytes += done;
}

void FlowEngine::rebind(Flow& flow, std::uint32_t binding, Picoseconds now) {
  if (binding == flow.binding) return;
  if (flow.binding != kOwnCap) {
    Resource& old = resources_[flow.binding];
    if (--old.bound_flows == 0) old.binding += now - old.bound_since;
  }
  flow.binding = binding;
  if (binding != kOwnCap && resources_[binding].bound_flows++ == 0) resources_[binding].bound_since = now;
}

}  // namespace trn
