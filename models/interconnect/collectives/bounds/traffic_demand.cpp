#include "models/interconnect/collectives/bounds/traffic_demand.h"

#include <algorithm>

#include "models/interconnect/topology/distances.h"

namespace trn {

TrafficDemand::TrafficDemand(const CollectiveTask& task, const Group& group, const Topology& topology)
    : task_(task), topology_(topology), ranks_(topology.chips(), 0), bytes_(static_cast<double>(task.bytes)) {
  const Seat first = group.seat(0);
  domain_ranks_ = 0;
  std::uint32_t last_domain = first.domain;
  domains_ = 1;
  for (std::uint32_t r = 0; r < group.ranks(); ++r) {
    const Seat seat = group.seat(r);
    if (seat.domain != last_domain) ++domains_, last_domain = seat.domain;
    if (seat.domain != first.domain) continue;
    ++domain_ranks_;
    ranks_[seat.chip] += 1;
  }
  all_ranks_ = group.ranks();
  root_chip_ = group.seat(task.root).chip;
  partner_chip_ = group.seat((task.root + 1) % group.ranks()).chip;
  for (std::uint32_t chip = 0; chip < ranks_.size(); ++chip)
    if (ranks_[chip] > 0) out_rates_ += topology.out_rate(chip);
}

double TrafficDemand::crossing(double here, double there, bool root_here) const {
  if (here == 0 || there == 0) return 0;
  switch (task_.op) {
    case CollectiveOp::kAllReduce:
      return bytes_;  // one side's sum, or the whole's
    case CollectiveOp::kAllGather:
      return bytes_ * here / all_ranks_;  // what those there lack
    case CollectiveOp::kReduceScatter:
      return bytes_ * there / all_ranks_;  // this side's part of the sums that belong there
    case CollectiveOp::kAllToAll:
      return here * bytes_ * there / all_ranks_;
    case CollectiveOp::kBroadcast:
      return root_here ? bytes_ : 0;
    case CollectiveOp::kReduce:
      return root_here ? 0 : bytes_;
    case CollectiveOp::kScatter:
      return root_here ? bytes_ * there / all_ranks_ : 0;
    case CollectiveOp::kGather:
      return root_here ? 0 : bytes_ * here / all_ranks_;
    default:
      return 0;  // depends on who is whose neighbour
  }
}

CutBytes TrafficDemand::over(const std::vector<char>& inside) const {
  double here = 0, there = 0;
  for (std::size_t chip = 0; chip < ranks_.size(); ++chip) (inside[chip] != 0 ? here : there) += ranks_[chip];
  const bool root_here = inside[root_chip_] != 0;
  if (task_.op == CollectiveOp::kSendReceive && domains_ == 1) {
    const bool leaves = root_here && inside[partner_chip_] == 0;
    return {leaves ? bytes_ : 0, !root_here && inside[partner_chip_] != 0 ? bytes_ : 0};
  }
  // Uneven blocks may all be at home already: no bound from their sum.
  if (!task_.sizes.empty()) return {};
  return {crossing(here, there, root_here), crossing(there, here, !root_here)};
}

// Of n parties, all but one must give their part of the sum away and get the whole: 2 (n - 1) S in all. A
// half of it for the halves.
double TrafficDemand::exchanged(double parties) const {
  if (!task_.sizes.empty()) return 0;
  switch (task_.op) {
    case CollectiveOp::kAllReduce:
      return 2 * (parties - 1) * bytes_;
    case CollectiveOp::kAllGather:
    case CollectiveOp::kReduceScatter:
      return (parties - 1) * bytes_;
    default:
      return 0;
  }
}

double TrafficDemand::sent_by_chips() const {
  if (domains_ > 1) return 0;
  return exchanged(
      static_cast<double>(std::count_if(ranks_.begin(), ranks_.end(), [](double r) { return r > 0; })));
}

double TrafficDemand::sent_by_all() const {
  if (domains_ < 2) return 0;
  const auto chips =
      static_cast<double>(std::count_if(ranks_.begin(), ranks_.end(), [](double r) { return r > 0; }));
  return exchanged(chips * domains_) / domains_;
}

double TrafficDemand::byte_hops() const {
  if (task_.op != CollectiveOp::kAllToAll || !task_.sizes.empty()) return 0;
  double sum = 0;
  for (std::uint32_t a = 0; a < ranks_.size(); ++a) {
    if (ranks_[a] == 0) continue;
    const std::vector<std::uint32_t> hops = hops_from(topology_, a);
    for (std::uint32_t b = 0; b < ranks_.size(); ++b)
      sum += ranks_[a] * ranks_[b] * bytes_ / all_ranks_ * hops[b];
  }
  return sum;
}

Picoseconds TrafficDemand::furthest() const {
  Picoseconds longest;
  if (task_.op == CollectiveOp::kPermute || task_.op == CollectiveOp::kSendReceive || !task_.sizes.empty())
    return longest;
  const bool rooted = task_.op == CollectiveOp::kBroadcast || task_.op == CollectiveOp::kReduce ||
                      task_.op == CollectiveOp::kGather || task_.op == CollectiveOp::kScatter;
  for (std::uint32_t a = 0; a < ranks_.size(); ++a) {
    if (ranks_[a] == 0 || (rooted && a != root_chip_)) continue;
    const std::vector<Picoseconds> latency = latency_from(topology_, a);
    for (std::uint32_t b = 0; b < ranks_.size(); ++b)
      if (ranks_[b] > 0) longest = std::max(longest, latency[b]);
    if (topology_.chips_alike() && out_rates_ == topology_.out_rate(a) * static_cast<double>(ranks_.size()))
      break;  // all chips, and all see the same distances
  }
  return longest;
}

double TrafficDemand::over_domain() const {
  if (domains_ < 2 || !task_.sizes.empty()) return 0;
  return std::max({exchanged(domains_) / domains_, crossing(domain_ranks_, all_ranks_ - domain_ranks_, true),
                   crossing(all_ranks_ - domain_ranks_, domain_ranks_, false)});
}

double TrafficDemand::touched_by_rank() const {
  const double away = (all_ranks_ - 1) / all_ranks_;
  if (!task_.sizes.empty()) return 0;
  switch (task_.op) {
    case CollectiveOp::kAllReduce:
      return 2 * bytes_;
    case CollectiveOp::kReduceScatter:
      return bytes_ + bytes_ / all_ranks_;
    case CollectiveOp::kAllGather:
      return bytes_ / all_ranks_ + bytes_ * away;
    case CollectiveOp::kAllToAll:
      return 2 * bytes_ * away;
    case CollectiveOp::kBroadcast:
    case CollectiveOp::kReduce:
    case CollectiveOp::kPermute:
    case CollectiveOp::kSendReceive:
      return bytes_;  // of the root, read or written
    default:
      return bytes_ * away;
  }
}

double TrafficDemand::moved_by_rank(double reduce_slowdown) const {
  const double away = (all_ranks_ - 1) / all_ranks_;
  const double read = std::min(1.0, reduce_slowdown / 2);
  if (!task_.sizes.empty()) return 0;
  switch (task_.op) {
    case CollectiveOp::kAllReduce:
      return std::max(read, 1.0) * bytes_;
    case CollectiveOp::kReduceScatter:
      return read * bytes_;
    case CollectiveOp::kAllGather:
    case CollectiveOp::kAllToAll:
      return bytes_ * away;
    default:
      return 0;
  }
}

}  // namespace trn
