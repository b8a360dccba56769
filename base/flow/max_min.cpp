#include "base/flow/max_min.h"

#include <algorithm>

#include "base/error.h"

namespace trn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Resources that fill at the same level up to rounding freeze together; far above the 2^-52 of a double,
// far below anything a user could see.
constexpr double kSameLevel = 1 + 1e-13;
// Of a resource's capacity: what a priority leaves of it is nothing, but for the rounding of a sum.
constexpr double kNothing = 1e-12;

template <class Gone>
void drop(std::vector<std::uint32_t>& list, Gone gone) {
  list.erase(std::remove_if(list.begin(), list.end(), gone), list.end());
}

}  // namespace

const std::vector<FlowShare>& MaxMinSolver::solve(const std::vector<double>& capacity,
                                                  const std::vector<FlowDemand>& flows,
                                                  const std::vector<double>* turning) {
  shares_.assign(flows.size(), {});
  frozen_.assign(flows.size(), 0);
  if (crossed_.size() < capacity.size()) crossed_.resize(capacity.size());
  // Class after class, the most urgent first; each sees what the ones before left.
  open_ = flows.size();
  for (std::uint64_t above = 0; open_ > 0;) {
    std::uint64_t priority = std::numeric_limits<std::uint64_t>::max();
    for (const FlowDemand& flow : flows)
      if (flow.priority >= above) priority = std::min<std::uint64_t>(priority, flow.priority);
    above = priority + 1;
    members_.clear();
    for (std::uint32_t f = 0; f < flows.size(); ++f)
      if (flows[f].priority == priority) members_.push_back(f);
    cross(capacity, flows, turning);
    fill(flows);
    leave_rest(capacity, flows);
  }
  for (const std::uint32_t r : known_) crossed_[r].known = false;
  known_.clear();
  return shares_;
}

void MaxMinSolver::cross(const std::vector<double>& capacity, const std::vector<FlowDemand>& flows,
                         const std::vector<double>* turning) {
  touched_.clear();
  capped_.clear();
  for (const std::uint32_t f : members_) {
    TRN_CHECK(flows[f].weight > 0 && flows[f].uses != nullptr, "flow without weight or uses");
    if (flows[f].cap < kInfinity) capped_.push_back(f);
    for (const FlowUse& use : *flows[f].uses) {
      const double turn = turning == nullptr || use.turn == 0 ? 0 : use.turn * (*turning)[use.resource];
      const double coefficient = use.coefficient + turn;
      if (coefficient <= 0) continue;
      Crossed& resource = crossed_[use.resource];
      if (resource.flows.empty()) touched_.push_back(use.resource);
      resource.flows.push_back({f, coefficient});
      if (resource.known) continue;
      resource.known = true;
      resource.left = capacity[use.resource];
      known_.push_back(use.resource);
    }
  }
  std::sort(touched_.begin(), touched_.end());
}

void MaxMinSolver::fill(const std::vector<FlowDemand>& flows) {
  const auto frozen = [this](std::uint32_t f) { return frozen_[f] != 0; };
  const auto closed = [this](std::uint32_t r) { return crossed_[r].level == kInfinity; };
  for (const std::uint32_t r : touched_) refresh(r, flows);
  for (std::size_t end = open_ - members_.size(); open_ > end;) {
    double level = kInfinity;
    for (const std::uint32_t r : touched_) level = std::min(level, crossed_[r].level);
    for (const std::uint32_t f : capped_) level = std::min(level, flows[f].cap / flows[f].weight);
    TRN_CHECK(level < kInfinity, "a flow is limited by nothing");

    const double edge = level * kSameLevel;
    full_.clear();
    for (const std::uint32_t r : touched_)
      if (crossed_[r].level <= edge) full_.push_back(r);
    for (const std::uint32_t f : capped_)
      if (flows[f].cap <= edge * flows[f].weight) freeze(f, {flows[f].cap, kOwnCap}, flows);
    for (const std::uint32_t r : full_)
      for (const Crossing& crossing : crossed_[r].flows)
        if (!frozen_[crossing.flow]) freeze(crossing.flow, {level * flows[crossing.flow].weight, r}, flows);
    if (open_ == end) break;
    for (const std::uint32_t r : stale_) refresh(r, flows);
    stale_.clear();
    drop(capped_, frozen);
    drop(touched_, closed);
  }
  for (const std::uint32_t r : stale_) crossed_[r].stale = false;
  stale_.clear();
}

void MaxMinSolver::freeze(std::uint32_t flow, FlowShare share, const std::vector<FlowDemand>& flows) {
  frozen_[flow] = 1;
  shares_[flow] = share;
  --open_;
  for (const FlowUse& use : *flows[flow].uses) {
    Crossed& resource = crossed_[use.resource];
    if (resource.stale) continue;
    resource.stale = true;
    stale_.push_back(use.resource);
  }
}

// Summed anew instead of updated, so that no cancellation error builds up.
void MaxMinSolver::refresh(std::uint32_t resource, const std::vector<FlowDemand>& flows) {
  Crossed& crossed = crossed_[resource];
  double used = 0;
  double slope = 0;
  for (const Crossing& crossing : crossed.flows) {
    const FlowDemand& flow = flows[crossing.flow];
    if (frozen_[crossing.flow])
      used += crossing.coefficient * (shares_[crossing.flow].rate * flow.count);
    else
      slope += crossing.coefficient * (flow.weight * flow.count);
  }
  crossed.level = slope == 0 ? kInfinity : std::max(0.0, crossed.left - used) / slope;
  crossed.stale = false;
}

// Takes from the resources what the class has got, and forgets who crossed them.
void MaxMinSolver::leave_rest(const std::vector<double>& capacity, const std::vector<FlowDemand>& flows) {
  for (const std::uint32_t r : known_) {
    Crossed& resource = crossed_[r];
    if (open_ > 0)
      for (const Crossing& c : resource.flows)
        resource.left -= c.coefficient * (shares_[c.flow].rate * flows[c.flow].count);
    if (resource.left < kNothing * capacity[r]) resource.left = 0;
    resource.flows.clear();
  }
}

}  // namespace trn
