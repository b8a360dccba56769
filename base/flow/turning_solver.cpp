#include "base/flow/turning_solver.h"

#include <algorithm>

namespace trn {

std::uint32_t TurningSolver::add_resource(double capacity, TurnShape shape) {
  capacity_.push_back(capacity);
  shapes_.push_back(shape);
  turning_.push_back(0);
  directions_.emplace_back();
  return static_cast<std::uint32_t>(capacity_.size() - 1);
}

// First without turning around; where the flows then fill a bus in both directions, again with what it costs.
void TurningSolver::solve(const std::vector<FlowDemand>& demands, Result& result) {
  result.turning.clear();
  result.shares = solver_.solve(capacity_, demands);
  add_loads(demands, result.shares);
  if (find_turning(result)) result.shares = solver_.solve(capacity_, demands, &turning_);
  for (const std::uint32_t r : buses_) {
    directions_[r] = {};
    turning_[r] = 0;
  }
}

void TurningSolver::add_loads(const std::vector<FlowDemand>& demands, const std::vector<FlowShare>& shares) {
  buses_.clear();
  for (const FlowDemand& demand : demands)
    for (const FlowUse& use : *demand.uses) {
      if (use.turn == 0 || directions_[use.resource].turns) continue;
      directions_[use.resource].turns = true;
      buses_.push_back(use.resource);
    }
  if (buses_.empty()) return;
  std::sort(buses_.begin(), buses_.end());
  for (std::size_t i = 0; i < demands.size(); ++i) {
    const double rate = shares[i].rate * demands[i].count;
    for (const FlowUse& use : *demands[i].uses) {
      Directions& d = directions_[use.resource];
      if (!d.turns) continue;
      d.load += rate * use.coefficient;
      if (use.turn == 0) continue;
      const double payload = rate * use.payload;
      d.write += payload * use.write_share;
      d.read += payload * (1 - use.write_share);
      d.turn += rate * use.turn;
    }
  }
}

// How evenly both directions are used; true where turning around does not fit in beside them.
bool TurningSolver::find_turning(Result& result) {
  bool full = false;
  for (const std::uint32_t r : buses_) {
    const Directions& d = directions_[r];
    turning_[r] = d.read + d.write > 0 ? shapes_[r].at(d.write / (d.read + d.write)) : 0;
    full = full || (turning_[r] > 0 && d.load + turning_[r] * d.turn > capacity_[r]);
    result.turning.push_back({r, turning_[r]});
  }
  return full;
}

}  // namespace trn
