#include "models/interconnect/topology/rings/two_factors.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace trn {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

void shuffle(std::vector<std::uint32_t>& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

// Chooses strands so that every member has exactly `degree`: greedily, then along alternating trails (one in,
// one out, ..., one in) between members that still lack some.
class RegularPart {
 public:
  RegularPart(const StrandGraph& graph, std::size_t degree, std::mt19937_64& random)
      : graph_(graph), degree_(degree), random_(random), has_(graph.members), chosen_(graph.strands.size()) {
    std::vector<std::uint32_t> order(graph.strands.size());
    std::iota(order.begin(), order.end(), 0u);
    shuffle(order, random_);
    for (const std::uint32_t s : order)
      if (has_[graph.strands[s].a] < degree && has_[graph.strands[s].b] < degree) take(s);
  }

  bool complete() {
    for (std::uint32_t member = 0; member < graph_.members; ++member)
      for (int tries = 0; has_[member] < degree_;)
        if (!extend(member) && ++tries == kTries) return false;
    return true;
  }
  const std::vector<char>& chosen() const { return chosen_; }

 private:
  // A trail that the breadth-first search finds may use a strand twice; another order of the strands helps.
  static constexpr int kTries = 8;

  void take(std::uint32_t s) {
    const bool in = !chosen_[s];
    chosen_[s] = in;
    for (const std::uint32_t end : {graph_.strands[s].a, graph_.strands[s].b}) in ? ++has_[end] : --has_[end];
  }

  // States are (member, whether the next strand is to be dropped): 2 * member + drop.
  bool extend(std::uint32_t from) {
    std::vector<std::uint32_t> via(2 * std::size_t{graph_.members}, kNone);
    std::vector<std::uint32_t> reached{2 * from};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const std::uint32_t member = reached[i] / 2, drop = reached[i] % 2;
      std::vector<std::uint32_t> strands = graph_.at[member];
      shuffle(strands, random_);
      for (const std::uint32_t s : strands) {
        if (static_cast<std::uint32_t>(chosen_[s]) != drop) continue;
        const std::uint32_t next = graph_.strands[s].other(member);
        const std::uint32_t state = 2 * next + 1 - drop;
        if (via[state] != kNone || state == 2 * from) continue;
        via[state] = s;
        reached.push_back(state);
        const std::size_t lacks = degree_ - has_[next];
        if (drop == 0 && lacks > (next == from ? 1u : 0u) && flip(from, state, via)) return true;
      }
    }
    return false;
  }

  bool flip(std::uint32_t from, std::uint32_t state, const std::vector<std::uint32_t>& via) {
    std::vector<std::uint32_t> trail;
    for (; state != 2 * from; state = 2 * graph_.strands[via[state]].other(state / 2) + 1 - state % 2)
      trail.push_back(via[state]);
    std::vector<std::uint32_t> sorted = trail;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
    for (const std::uint32_t s : trail) take(s);
    return true;
  }

  const StrandGraph& graph_;
  std::size_t degree_;
  std::mt19937_64& random_;
  std::vector<std::size_t> has_;
  std::vector<char> chosen_;
};

// Petersen: along closed trails every member is left as often as entered, so that out- and in-sides form a
// regular bipartite graph, and that is a sum of perfect matchings. A matching is one step from every member.
class Splitter {
 public:
  Splitter(const StrandGraph& graph, std::vector<char> chosen, std::uint32_t count)
      : graph_(graph), open_(std::move(chosen)), out_(graph.members), colour_(graph.strands.size(), count) {
    for (std::uint32_t start = 0; start < graph.members; ++start)
      for (std::uint32_t member = start, s; (s = open_strand(member)) != kNone;) {
        open_[s] = 0;
        out_[member].push_back(s);
        member = graph.strands[s].other(member);
      }
    for (std::uint32_t c = 0; c < count; ++c) match(c);
  }
  std::vector<std::uint32_t> take() && { return std::move(colour_); }

 private:
  std::uint32_t open_strand(std::uint32_t member) const {
    for (const std::uint32_t s : graph_.at[member])
      if (open_[s]) return s;
    return kNone;
  }

  void match(std::uint32_t colour) {
    into_.assign(graph_.members, kNone);
    for (std::uint32_t member = 0; member < graph_.members; ++member) {
      seen_.assign(graph_.members, 0);
      place(member);
    }
    for (std::uint32_t member = 0; member < graph_.members; ++member) {
      const std::uint32_t s = into_[member];
      colour_[s] = colour;
      auto& out = out_[graph_.strands[s].other(member)];
      out.erase(std::find(out.begin(), out.end(), s));
    }
  }

  bool place(std::uint32_t member) {
    for (const std::uint32_t s : out_[member]) {
      const std::uint32_t next = graph_.strands[s].other(member);
      if (seen_[next]) continue;
      seen_[next] = 1;
      if (into_[next] != kNone && !place(graph_.strands[into_[next]].other(next))) continue;
      into_[next] = s;
      return true;
    }
    return false;
  }

  const StrandGraph& graph_;
  std::vector<char> open_;                       // chosen and not yet passed
  std::vector<std::vector<std::uint32_t>> out_;  // strands that leave a member
  std::vector<std::uint32_t> into_;              // of this matching
  std::vector<char> seen_;
  std::vector<std::uint32_t> colour_;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> find_two_factors(const StrandGraph& graph, std::uint32_t count,
                                                           std::mt19937_64& random) {
  RegularPart part(graph, 2 * std::size_t{count}, random);
  if (!part.complete()) return std::nullopt;
  return Splitter(graph, part.chosen(), count).take();
}

}  // namespace trn
