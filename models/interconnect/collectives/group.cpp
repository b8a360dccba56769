#include "models/interconnect/collectives/group.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "models/interconnect/topology/ring_search.h"

namespace trn {

Group Group::whole(std::uint32_t chips, std::uint32_t per_chip, std::uint32_t domains) {
  Group group;
  group.chips_ = chips;
  group.per_chip_ = per_chip;
  group.ranks_ = chips * per_chip * domains;
  return group;
}

Group Group::of(std::vector<Seat> seats) {
  TRN_CHECK(!seats.empty(), "a group of nobody");
  Group group;
  group.ranks_ = static_cast<std::uint32_t>(seats.size());
  group.seats_ = std::move(seats);
  return group;
}

Seat Group::seat(std::uint32_t rank) const {
  if (!seats_.empty()) return seats_[rank];
  return {rank / per_chip_ / chips_, rank / per_chip_ % chips_, rank % per_chip_};
}

namespace {

// The group's chips in order of appearance; empty unless ranks go domain by domain, chip by chip, the same
// chips with the same number of ranks in every domain.
struct Regular {
  std::vector<std::uint32_t> chips;
  std::uint32_t per_chip = 0;
  std::uint32_t domains = 0;
};

Regular find_regular(const Group& group) {
  Regular r;
  const Seat first = group.seat(0);
  while (r.per_chip < group.ranks() && group.seat(r.per_chip).domain == first.domain &&
         group.seat(r.per_chip).chip == first.chip)
    ++r.per_chip;
  if (group.ranks() % r.per_chip != 0) return {};
  for (std::uint32_t rank = 0; rank < group.ranks() && group.seat(rank).domain == first.domain;
       rank += r.per_chip)
    r.chips.push_back(group.seat(rank).chip);
  const auto per_domain = static_cast<std::uint32_t>(r.chips.size()) * r.per_chip;
  if (group.ranks() % per_domain != 0) return {};
  r.domains = group.ranks() / per_domain;
  std::vector<std::uint32_t> sorted = r.chips;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return {};
  std::vector<std::uint32_t> domains;
  for (std::uint32_t rank = 0; rank < group.ranks(); ++rank) {
    const Seat seat = group.seat(rank);
    if (rank % per_domain == 0) domains.push_back(seat.domain);
    if (seat.domain != domains.back() || seat.chip != r.chips[rank % per_domain / r.per_chip]) return {};
  }
  std::sort(domains.begin(), domains.end());
  return std::adjacent_find(domains.begin(), domains.end()) == domains.end() ? r : Regular{};
}

// The machine's dimensions over which the chips reach, if they are all those with the same coordinates
// elsewhere, in the machine's order.
std::vector<GroupShape::Dimension> box(const std::vector<std::uint32_t>& chips, const Topology& topology,
                                       std::uint32_t per_chip) {
  std::vector<GroupShape::Dimension> out;
  std::uint64_t product = 1;
  const auto& dimensions = topology.dimensions();
  std::vector<std::size_t> spanned;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const bool varies = std::any_of(chips.begin(), chips.end(), [&](std::uint32_t chip) {
      return topology.coordinates(chip)[d] != topology.coordinates(chips[0])[d];
    });
    if (!varies) continue;
    spanned.push_back(d);
    product *= dimensions[d].size;
  }
  if (product != chips.size() || !std::is_sorted(chips.begin(), chips.end())) return {};
  std::uint32_t stride = per_chip;
  for (auto d = spanned.rbegin(); d != spanned.rend(); ++d) {
    const Dimension& dimension = dimensions[*d];
    const auto size = static_cast<std::uint32_t>(dimension.size);
    out.insert(out.begin(),
               {stride, size, dimension.kind == DimensionKind::kRing, topology.dimension_rate(dimension)});
    stride *= size;
  }
  return out;
}

// Cables between chips of the group; cycles are searched among them.
std::vector<GroupShape::Ring> rings(const std::vector<std::uint32_t>& chips, const Topology& topology) {
  if (chips.size() < 2) return {};
  std::map<std::uint32_t, std::uint32_t> index;
  for (std::uint32_t i = 0; i < chips.size(); ++i) index[chips[i]] = i;
  // Rates by the two ends, the lower number first. A ring runs both ways: a link without one back is no
  // cable.
  using Rates = std::vector<double>;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<Rates, Rates>> between;
  for (const Link& link : topology.links()) {
    const auto a = index.find(link.from), b = index.find(link.to);
    if (a == index.end() || b == index.end()) continue;
    const bool up = a->second < b->second;
    auto& [there, back] = between[std::minmax(a->second, b->second)];
    (up ? there : back).push_back(topology.classes()[link.link_class].rate);
  }
  std::vector<RingEdge> edges;
  for (auto& [ends, rates] : between) {
    auto& [there, back] = rates;
    std::sort(there.begin(), there.end());
    std::sort(back.begin(), back.end());
    for (; !there.empty() && !back.empty(); there.pop_back(), back.pop_back())
      edges.push_back({ends.first, ends.second, std::min(there.back(), back.back())});
  }
  std::vector<GroupShape::Ring> out;
  for (RingOrder& ring : find_rings(static_cast<std::uint32_t>(chips.size()), edges))
    out.push_back({std::move(ring.order), ring.rate > 0 ? ring.rate : 1});
  return out;
}

std::vector<std::uint32_t> tour_by_chip(const Group& group) {
  std::vector<std::uint32_t> order(group.ranks());
  for (std::uint32_t r = 0; r < group.ranks(); ++r) order[r] = r;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Seat x = group.seat(a), y = group.seat(b);
    return x.domain != y.domain ? x.domain < y.domain : x.chip < y.chip;
  });
  return order;
}

}  // namespace

bool Group::covers(const Topology& topology) const {
  return seats_.empty() ? chips_ == topology.chips() : find_regular(*this).chips.size() == topology.chips();
}

GroupShape Group::shape(const Topology& topology) const {
  GroupShape shape;
  shape.ranks = ranks_;
  Regular regular;
  if (seats_.empty()) {
    regular.per_chip = per_chip_;
    regular.domains = ranks_ / per_chip_ / chips_;
    for (std::uint32_t c = 0; c < chips_; ++c) regular.chips.push_back(c);
  } else {
    regular = find_regular(*this);
  }
  shape.regular = regular.domains > 0;
  if (!shape.regular) {
    shape.tour = tour_by_chip(*this);
    return shape;
  }
  shape.domains = regular.domains;
  shape.per_chip = regular.per_chip;
  shape.chips = static_cast<std::uint32_t>(regular.chips.size());
  shape.dimensions = box(regular.chips, topology, regular.per_chip);
  shape.rings = rings(regular.chips, topology);
  return shape;
}

std::uint32_t ranks_a_chip(const Group& group) { return find_regular(group).per_chip; }

}  // namespace trn
