#include "base/flow/max_min.h"

#include <algorithm>

#include "base/error.h"

namespace trn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Resources that fill at the same level up to rounding freeze together; far above the 2^-52 of a double,
// far below anything a user could see.
constexpr double kSameLevel = 1 + 1e-13;

}  // namespace

const std::vector<FlowShare>& MaxMinSolver::solve(const std::vector<double>& capacity,
                                                  const std::vector<FlowDemand>& flows) {
  shares_.assign(flows.size(), {});
  frozen_.assign(flows.size(), 0);
  capacity_ = capacity;
  level_.assign(capacity.size(), kInfinity);
  crossings_.resize(std::max(crossings_.size(), capacity.size()));

  // Class after class, the most urgent first; each sees what the ones before left.
  std::size_t open = flows.size();
  for (std::uint64_t above = 0; open > 0;) {
    std::uint64_t priority = std::numeric_limits<std::uint64_t>::max();
    for (const FlowDemand& flow : flows)
      if (flow.priority >= above) priority = std::min<std::uint64_t>(priority, flow.priority);
    above = priority + 1;
    members_.clear();
    for (std::uint32_t f = 0; f < flows.size(); ++f)
      if (flows[f].priority == priority) members_.push_back(f);
    fill_class(flows);
    open -= members_.size();
    if (open == 0) break;
    for (const std::uint32_t f : members_)
      for (const FlowUse& use : *flows[f].uses)
        capacity_[use.resource] = std::max(0.0, capacity_[use.resource] - use.coefficient * shares_[f].rate);
  }
  return shares_;
}

void MaxMinSolver::fill_class(const std::vector<FlowDemand>& flows) {
  touched_.clear();
  for (const std::uint32_t f : members_) {
    TRN_CHECK(flows[f].weight > 0 && flows[f].uses != nullptr, "flow without weight or uses");
    for (const FlowUse& use : *flows[f].uses) {
      if (use.coefficient <= 0) continue;
      if (crossings_[use.resource].empty()) touched_.push_back(use.resource);
      crossings_[use.resource].push_back({f, use.coefficient});
    }
  }
  std::sort(touched_.begin(), touched_.end());
  for (const std::uint32_t r : touched_) refresh(r, flows);

  std::size_t open = members_.size();
  while (open > 0) {
    double level = kInfinity;
    for (const std::uint32_t r : touched_) level = std::min(level, level_[r]);
    for (const std::uint32_t f : members_)
      if (!frozen_[f]) level = std::min(level, flows[f].cap / flows[f].weight);
    TRN_CHECK(level < kInfinity, "a flow is limited by nothing");

    const double edge = level * kSameLevel;
    full_.clear();
    for (const std::uint32_t r : touched_)
      if (level_[r] <= edge) full_.push_back(r);
    const auto freeze = [&](std::uint32_t f, double rate, std::uint32_t binding) {
      frozen_[f] = 1;
      shares_[f] = {rate, binding};
      --open;
    };
    for (const std::uint32_t f : members_)
      if (!frozen_[f] && flows[f].cap <= edge * flows[f].weight) freeze(f, flows[f].cap, kOwnCap);
    for (const std::uint32_t r : full_)
      for (const Crossing& crossing : crossings_[r])
        if (!frozen_[crossing.flow]) freeze(crossing.flow, level * flows[crossing.flow].weight, r);
    if (open == 0) break;
    for (const std::uint32_t r : touched_) refresh(r, flows);
  }
  for (const std::uint32_t r : touched_) {
    crossings_[r].clear();
    level_[r] = kInfinity;
  }
}

// Summed anew instead of updated, so that no cancellation error builds up.
void MaxMinSolver::refresh(std::uint32_t resource, const std::vector<FlowDemand>& flows) {
  double used = 0;
  double slope = 0;
  for (const Crossing& crossing : crossings_[resource]) {
    if (frozen_[crossing.flow])
      used += crossing.coefficient * shares_[crossing.flow].rate;
    else
      slope += crossing.coefficient * flows[crossing.flow].weight;
  }
  level_[resource] = slope == 0 ? kInfinity : std::max(0.0, capacity_[resource] - used) / slope;
}

}  // namespace trn
