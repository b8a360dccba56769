#include "models/interconnect/topology/cuts.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace trn {
namespace {

// Dinic's maximum flow. Rates are doubles: what is left of a link below a billionth of the fastest counts as
// full, which is the error of the result.
class MaxFlow {
 public:
  explicit MaxFlow(std::size_t vertices) : edges_at_(vertices), level_(vertices), next_(vertices) {}

  void add(std::size_t from, std::size_t to, double capacity) {
    edges_at_[from].push_back(edges_.size());
    edges_.push_back({to, capacity});
    edges_at_[to].push_back(edges_.size());
    edges_.push_back({from, 0});
    if (capacity < kEndless) full_ = std::max(full_, capacity * 1e-9);
  }

  double run(std::size_t source, std::size_t sink) {
    double sum = 0;
    while (label(source, sink)) {
      std::fill(next_.begin(), next_.end(), 0);
      for (double pushed = push(source, sink); pushed > 0; pushed = push(source, sink)) sum += pushed;
    }
    return sum;
  }

  static constexpr double kEndless = std::numeric_limits<double>::infinity();

 private:
  struct Edge {
    std::size_t to;
    double left;
  };

  bool label(std::size_t source, std::size_t sink) {
    std::fill(level_.begin(), level_.end(), 0);
    level_[source] = 1;
    std::queue<std::size_t> queue({source});
    for (; !queue.empty(); queue.pop())
      for (const std::size_t e : edges_at_[queue.front()]) {
        if (edges_[e].left <= full_ || level_[edges_[e].to] != 0) continue;
        level_[edges_[e].to] = level_[queue.front()] + 1;
        queue.push(edges_[e].to);
      }
    return level_[sink] != 0;
  }

  // One augmenting path along rising levels; dead ends are not tried again. A path of thousands of hops would
  // be too deep a recursion.
  double push(std::size_t source, std::size_t sink) {
    std::vector<std::size_t> path;
    std::size_t at = source;
    while (at != sink) {
      if (next_[at] < edges_at_[at].size()) {
        const std::size_t e = edges_at_[at][next_[at]];
        if (edges_[e].left > full_ && level_[edges_[e].to] == level_[at] + 1) {
          path.push_back(e);
          at = edges_[e].to;
        } else {
          ++next_[at];
        }
      } else {
        if (path.empty()) return 0;
        at = edges_[path.back() ^ 1].to;
        path.pop_back();
        ++next_[at];
      }
    }
    double least = kEndless;
    for (const std::size_t e : path) least = std::min(least, edges_[e].left);
    for (const std::size_t e : path) {
      edges_[e].left -= least;
      edges_[e ^ 1].left += least;
    }
    return least;
  }

  std::vector<Edge> edges_;  // an edge and its reverse are neighbours
  std::vector<std::vector<std::size_t>> edges_at_;
  std::vector<std::size_t> level_, next_;
  double full_ = 0;
};

Half half(const Topology& t, std::string name, std::vector<bool> inside) {
  const double out = cut_rate(t, inside);
  inside.flip();
  return {std::move(name), std::min(out, cut_rate(t, inside))};
}

}  // namespace

double cut_rate(const Topology& topology, const std::vector<bool>& inside) {
  const std::size_t source = topology.vertices();
  MaxFlow flow(topology.vertices() + 2);
  for (const Link& link : topology.links())
    flow.add(link.from, link.to, topology.classes()[link.link_class].rate);
  for (std::size_t chip = 0; chip < topology.chips(); ++chip) {
    if (inside[chip])
      flow.add(source, chip, MaxFlow::kEndless);
    else
      flow.add(chip, source + 1, MaxFlow::kEndless);
  }
  return flow.run(source, source + 1);
}

std::vector<Half> halves(const Topology& topology) {
  std::vector<Half> out;
  std::vector<bool> inside(topology.chips());
  for (std::size_t d = 0; d < topology.dimensions().size(); ++d) {
    for (std::uint64_t chip = 0; chip < topology.chips(); ++chip)
      inside[chip] = topology.coordinates(chip)[d] < topology.dimensions()[d].size / 2;
    out.push_back(half(topology, topology.dimensions()[d].name, inside));
  }
  if (!out.empty() || topology.chips() == 1) return out;
  const std::uint64_t middle = topology.chips() / 2;
  for (std::uint64_t chip = 0; chip < topology.chips(); ++chip) inside[chip] = chip < middle;
  return {half(topology, middle == 1 ? "chip 0" : "chips 0 to " + std::to_string(middle - 1), inside)};
}

}  // namespace trn
