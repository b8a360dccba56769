#include "models/interconnect/topology/rings/tour.h"

#include <algorithm>
#include <limits>
#include <map>

namespace trn {
namespace {

class Tour {
 public:
  Tour(std::uint32_t members, const std::vector<RingEdge>& edges) : members_(members), next_(members) {
    for (const RingEdge& edge : edges) {
      next_[edge.a].push_back(edge.b);
      next_[edge.b].push_back(edge.a);
      rate_[{std::min(edge.a, edge.b), std::max(edge.a, edge.b)}] += edge.rate;
    }
    for (std::uint32_t from = 0; from < members; ++from) spread(from);
    start();
    while (improve()) {
    }
  }

  RingOrder result() const { return {order_, rate(), direct()}; }

 private:
  // Hops from a member to all others, and the way back.
  void spread(std::uint32_t from) {
    std::vector<std::uint32_t> hops(members_, members_), parent(members_, from), reached{from};
    hops[from] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const std::uint32_t n : next_[reached[i]]) {
        if (hops[n] != members_) continue;
        hops[n] = hops[reached[i]] + 1;
        parent[n] = reached[i];
        reached.push_back(n);
      }
    hops_.push_back(std::move(hops));
    parent_.push_back(std::move(parent));
  }

  void start() {
    std::vector<char> taken(members_);
    taken[0] = 1;
    order_ = {0};
    while (order_.size() < members_) {
      std::uint32_t best = members_;
      for (std::uint32_t n = 0; n < members_; ++n)
        if (!taken[n] && (best == members_ || hops_[order_.back()][n] < hops_[order_.back()][best])) best = n;
      taken[best] = 1;
      order_.push_back(best);
    }
  }

  // Turns the part i + 1 .. j around where that saves hops. Every gain is a whole hop, so this ends.
  bool improve() {
    bool better = false;
    for (std::size_t i = 0; i + 2 < members_; ++i)
      for (std::size_t j = i + 2; j < members_; ++j) {
        const std::uint32_t a = order_[i], b = order_[i + 1], c = order_[j], d = order_[(j + 1) % members_];
        if (hops_[a][c] + hops_[b][d] >= hops_[a][b] + hops_[c][d]) continue;
        std::reverse(order_.begin() + static_cast<std::ptrdiff_t>(i + 1),
                     order_.begin() + static_cast<std::ptrdiff_t>(j + 1));
        better = true;
      }
    return better;
  }

  bool direct() const {
    for (std::size_t i = 0; i < members_; ++i)
      if (hops_[order_[i]][order_[(i + 1) % members_]] != 1) return false;
    return true;
  }

  // The narrowest cable, shared by all steps that pass it either way: one ring runs with, one against them.
  double rate() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> passes;
    for (std::size_t i = 0; i < members_; ++i) {
      const std::uint32_t from = order_[i];
      std::uint32_t at = order_[(i + 1) % members_];
      if (hops_[from][at] == members_) return 0;
      for (; at != from; at = parent_[from][at])
        ++passes[{std::min(at, parent_[from][at]), std::max(at, parent_[from][at])}];
    }
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [cable, count] : passes) least = std::min(least, rate_.at(cable) / count);
    return passes.empty() ? 0 : least;
  }

  std::uint32_t members_;
  std::vector<std::vector<std::uint32_t>> next_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> rate_;
  std::vector<std::vector<std::uint32_t>> hops_, parent_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

RingOrder find_tour(std::uint32_t members, const std::vector<RingEdge>& edges) {
  return Tour(members, edges).result();
}

}  // namespace trn
