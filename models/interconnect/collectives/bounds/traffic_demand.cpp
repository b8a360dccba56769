#include "models/interconnect/collectives/bounds/traffic_demand.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "models/interconnect/topology/distances.h"

namespace trn {

TrafficDemand::TrafficDemand(const CollectiveTask& task, const Group& group, const Topology& topology)
    : task_(task),
      topology_(topology),
      ranks_(topology.chips(), 0),
      bytes_(static_cast<double>(task.bytes)),
      all_ranks_(group.ranks()),
      pair_bytes_(std::floor(static_cast<double>(task.bytes) / group.ranks())) {
  const Seat root = group.seat(task.root);
  root_chip_ = root.chip;
  std::set<std::uint32_t> domains;
  std::set<std::pair<std::uint32_t, std::uint32_t>> chips;
  for (std::uint32_t r = 0; r < group.ranks(); ++r) {
    const Seat seat = group.seat(r);
    domains.insert(seat.domain);
    if (chips.emplace(seat.domain, seat.chip).second) out_rates_ += topology.out_rate(seat.chip);
    if (seat.domain != root.domain) continue;
    ++domain_ranks_;
    ranks_[seat.chip] += 1;
  }
  domains_ = static_cast<double>(domains.size());
  chips_ = static_cast<double>(chips.size());
  const auto ranks = static_cast<std::int64_t>(group.ranks());
  const std::int64_t to = ((task.root + task.shift) % ranks + ranks) % ranks;
  const Seat partner = group.seat(static_cast<std::uint32_t>(to));
  if (partner.domain == root.domain) partner_chip_ = partner.chip;
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
      return here * pair_bytes_ * there;
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
  double here = 0;
  for (std::size_t chip = 0; chip < ranks_.size(); ++chip) here += inside[chip] != 0 ? ranks_[chip] : 0;
  const double there = all_ranks_ - here;
  const bool root_here = inside[root_chip_] != 0;
  if (task_.op == CollectiveOp::kSendReceive) {
    const bool partner_here = partner_chip_ && inside[*partner_chip_] != 0;
    return {root_here && !partner_here ? bytes_ : 0, !root_here && partner_here ? bytes_ : 0};
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

double TrafficDemand::sent_by_chips() const { return exchanged(chips_); }

double TrafficDemand::byte_hops() const {
  if (task_.op != CollectiveOp::kAllToAll || !task_.sizes.empty() || !one_domain()) return 0;
  double sum = 0;
  for (std::uint32_t a = 0; a < ranks_.size(); ++a) {
    if (ranks_[a] == 0) continue;
    const std::vector<std::uint32_t> hops = hops_from(topology_, a);
    for (std::uint32_t b = 0; b < ranks_.size(); ++b) sum += ranks_[a] * ranks_[b] * pair_bytes_ * hops[b];
  }
  return sum;
}

// Between two chips of a domain a way over another one takes EFA twice.
Picoseconds TrafficDemand::furthest(Picoseconds efa) const {
  Picoseconds longest;
  if (task_.op == CollectiveOp::kPermute || task_.op == CollectiveOp::kSendReceive || !task_.sizes.empty())
    return longest;
  const bool from_root = task_.op == CollectiveOp::kBroadcast || task_.op == CollectiveOp::kScatter;
  const bool to_root = task_.op == CollectiveOp::kReduce || task_.op == CollectiveOp::kGather;
  for (std::uint32_t a = 0; a < ranks_.size(); ++a) {
    if (ranks_[a] == 0 || (from_root && a != root_chip_)) continue;
    const std::vector<Picoseconds> latency = latency_from(topology_, a);
    for (std::uint32_t b = 0; b < ranks_.size(); ++b)
      if (ranks_[b] > 0 && (!to_root || b == root_chip_)) longest = std::max(longest, latency[b]);
    if (!to_root && topology_.chips_alike() && std::find(ranks_.begin(), ranks_.end(), 0.0) == ranks_.end())
      break;  // all chips, and all see the same distances
  }
  return one_domain() ? longest : std::max(efa, std::min(longest, efa * 2));
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
