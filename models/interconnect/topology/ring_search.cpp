#include "models/interconnect/topology/ring_search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.h"
#include "models/interconnect/topology/rings/cycle_merger.h"
#include "models/interconnect/topology/rings/single_cycle.h"
#include "models/interconnect/topology/rings/tour.h"
#include "models/interconnect/topology/rings/two_factors.h"
#include "models/interconnect/topology/rings/walecki.h"

namespace trn {
namespace {

using Ring = std::vector<std::uint32_t>;
using Pair = std::pair<std::uint32_t, std::uint32_t>;

constexpr double kRounding = 1e-9;         // relative; rates come out of divisions
constexpr std::uint64_t kSteps = 20'000;   // of backtracking
constexpr std::uint32_t kMostAtOnce = 32;  // rings searched together; more are found in what is left
constexpr std::size_t kStrandsAMove = 4;   // a start costs as much as a move for every so many strands
constexpr int kStarts = 3;                 // of the search for one number of rings

Pair pair_of(std::uint32_t a, std::uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

class RingSearch {
 public:
  RingSearch(std::uint32_t members, const std::vector<RingEdge>& edges, const RingLimits& limits)
      : members_(members), limits_(limits), moves_(limits.moves) {
    for (const RingEdge& edge : edges) free_[pair_of(edge.a, edge.b)] += edge.rate;
  }

  // Fills the machine with rings of one rate, then what that leaves, and so on.
  std::vector<RingOrder> run() {
    for (bool found = true; found && rings_.size() < limits_.rings;) found = fill();
    std::stable_sort(rings_.begin(), rings_.end(),
                     [](const RingOrder& x, const RingOrder& y) { return x.rate > y.rate; });
    return std::move(rings_);
  }

 private:
  struct Plan {
    double rate;         // of a ring
    std::uint32_t most;  // rings that could fit
    double total() const { return rate * most; }
  };

  // The plan that could carry most need not be the one whose rings are found.
  bool fill() {
    std::vector<Ring> best;
    double best_rate = 0;
    for (const Plan& plan : plans()) {
      const double found = static_cast<double>(best.size()) * best_rate;
      if (found >= plan.total() * (1 - kRounding)) break;
      std::vector<Ring> rings = pack(plan, moves_ / 2);
      if (static_cast<double>(rings.size()) * plan.rate <= found * (1 + kRounding)) continue;
      best = std::move(rings);
      best_rate = plan.rate;
    }
    for (const Ring& ring : best) take(ring, best_rate);
    return !best.empty();
  }

  // The most bytes first, and of the same bytes the fewest rings.
  std::vector<Plan> plans() const {
    std::vector<Plan> plans;
    for (const double rate : candidate_rates()) {
      const std::uint32_t room = limits_.rings - static_cast<std::uint32_t>(rings_.size());
      const std::uint32_t most = std::min(most_rings(cut(rate, 2 * limits_.rings)), room);
      if (most > 0) plans.push_back({rate, most});
    }
    std::stable_sort(plans.begin(), plans.end(), [](const Plan& x, const Plan& y) {
      if (std::abs(x.total() - y.total()) > kRounding * x.total()) return x.total() > y.total();
      return x.rate > y.rate;
    });
    return plans;
  }

  // The rates of the cables, their greatest common divisor, and both in parts.
  std::vector<double> candidate_rates() const {
    std::vector<double> rates;
    double divisor = 0, largest = 0;
    for (const auto& [cable, rate] : free_) {
      rates.push_back(rate);
      largest = std::max(largest, rate);
      for (double rest = rate; rest > kRounding * largest;) {
        const double remainder = divisor == 0 ? 0 : std::fmod(rest, divisor);
        if (divisor == 0) divisor = rest;
        if (remainder <= kRounding * largest || divisor - remainder <= kRounding * largest) break;
        rest = std::exchange(divisor, remainder);
      }
    }
    if (divisor * limits_.rings >= largest && largest > 0) rates.push_back(divisor);
    const std::size_t whole = rates.size();
    for (std::uint32_t parts = 2; parts <= limits_.split; ++parts)
      for (std::size_t i = 0; i < whole; ++i) rates.push_back(rates[i] / parts);
    std::sort(rates.begin(), rates.end(), std::greater<>());
    const auto same = [](double x, double y) { return x - y <= kRounding * x; };
    rates.erase(std::unique(rates.begin(), rates.end(), same), rates.end());
    return rates;
  }

  StrandGraph cut(double rate, std::uint32_t most) const {
    std::vector<Strand> strands;
    for (const auto& [cable, room] : free_) {
      const double parts = std::min(std::floor(room / rate * (1 + kRounding)), static_cast<double>(most));
      strands.insert(strands.end(), static_cast<std::size_t>(parts), Strand{cable.first, cable.second});
    }
    return {members_, std::move(strands)};
  }

  // Leaves `floor` moves to others.
  std::vector<Ring> pack(const Plan& plan, std::uint64_t floor) {
    const StrandGraph graph = cut(plan.rate, plan.most);
    if (std::vector<Ring> rings = complete(graph, plan.most); !rings.empty()) return rings;
    std::vector<Ring> best;
    for (std::uint32_t count = std::min(plan.most, kMostAtOnce); count > best.size(); --count)
      for (int start = 0; start < kStarts && best.size() < count && moves_ > floor; ++start) {
        moves_ -= std::min(moves_ - floor, graph.strands.size() / kStrandsAMove);
        const auto colours = find_two_factors(graph, count, random_);
        if (!colours) break;
        std::vector<Ring> rings = merge(graph, *colours, count, floor);
        if (rings.size() > best.size()) best = std::move(rings);
      }
    if (best.empty() && rings_.empty())
      if (auto ring = find_single_cycle(graph, kSteps)) best.push_back(std::move(*ring));
    return best;
  }

  std::vector<Ring> complete(const StrandGraph& graph, std::uint32_t most) const {
    const std::size_t pairs = std::size_t{members_} * (members_ - 1) / 2;
    if (members_ < 3 || graph.strands.size() != pairs || free_.size() != pairs) return {};
    std::vector<Ring> rings;
    for (std::uint32_t i = 0; i < most; ++i) rings.push_back(walecki_ring(members_, i));
    return rings;
  }

  // A search that leads nowhere leaves most of the moves to the next.
  std::vector<Ring> merge(const StrandGraph& graph, const std::vector<std::uint32_t>& colours,
                          std::uint32_t count, std::uint64_t floor) {
    CycleMerger merger(graph, colours, count, random_);
    merger.run(moves_, moves_ - (moves_ - floor) / 4);
    return merger.rings();
  }

  void take(const Ring& ring, double rate) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const auto cable = free_.find(pair_of(ring[i], ring[(i + 1) % ring.size()]));
      TRN_CHECK(cable != free_.end() && cable->second >= rate * (1 - 8 * kRounding),
                "a ring without a cable");
      cable->second -= rate;
      if (cable->second <= kRounding * rate) free_.erase(cable);
    }
    rings_.push_back({ring, rate, true});
  }

  std::uint32_t members_;
  RingLimits limits_;
  std::uint64_t moves_;
  std::map<Pair, double> free_;  // capacity left, each direction; parallel cables are one
  std::vector<RingOrder> rings_;
  std::mt19937_64 random_{1};
};

}  // namespace

std::vector<RingOrder> find_rings(std::uint32_t members, const std::vector<RingEdge>& edges,
                                  const RingLimits& limits) {
  TRN_CHECK(members > 0 && limits.rings > 0 && limits.split > 0, "rings of nobody");
  for (const RingEdge& edge : edges)
    TRN_CHECK(edge.a < members && edge.b < members && edge.a != edge.b && edge.rate > 0, "not a cable");
  if (members == 1) return {{{0}, 0, true}};
  std::vector<RingOrder> rings = RingSearch(members, edges, limits).run();
  if (rings.empty()) rings.push_back(find_tour(members, edges));
  return rings;
}

}  // namespace trn
