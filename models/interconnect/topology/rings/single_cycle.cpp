#include "models/interconnect/topology/rings/single_cycle.h"

#include <algorithm>

namespace trn {
namespace {

class Backtracking {
 public:
  Backtracking(const StrandGraph& graph, std::uint64_t steps)
      : graph_(graph), steps_(steps), next_(graph.members), on_path_(graph.members), open_(graph.members) {
    for (std::uint32_t member = 0; member < graph.members; ++member) {
      for (const std::uint32_t s : graph.at[member]) next_[member].push_back(graph.strands[s].other(member));
      std::sort(next_[member].begin(), next_[member].end());
      next_[member].erase(std::unique(next_[member].begin(), next_[member].end()), next_[member].end());
      open_[member] = next_[member].size();
    }
  }

  std::optional<std::vector<std::uint32_t>> run() {
    enter(0);
    if (!extend()) return std::nullopt;
    return path_;
  }

 private:
  // open_: neighbours that may still stand beside a member on the cycle, i.e. all but those inside the path.
  void enter(std::uint32_t member) {
    path_.push_back(member);
    on_path_[member] = 1;
    if (path_.size() > 2) close(path_[path_.size() - 2], -1);
  }
  void leave() {
    if (path_.size() > 2) close(path_[path_.size() - 2], 1);
    on_path_[path_.back()] = 0;
    path_.pop_back();
  }
  void close(std::uint32_t inner, int by) {
    for (const std::uint32_t n : next_[inner]) open_[n] += static_cast<std::size_t>(by);
  }

  bool extend() {
    const std::uint32_t end = path_.back();
    if (path_.size() == graph_.members) return std::binary_search(next_[end].begin(), next_[end].end(), 0u);
    if (steps_ == 0 || stuck(path_.size() > 1 ? path_[path_.size() - 2] : end)) return false;
    --steps_;
    std::vector<std::uint32_t> ways;
    for (const std::uint32_t n : next_[end])
      if (!on_path_[n]) ways.push_back(n);
    // The most constrained first: left for later, it would be cut off.
    std::stable_sort(ways.begin(), ways.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return open_[a] < open_[b]; });
    for (const std::uint32_t n : ways) {
      enter(n);
      if (extend()) return true;
      leave();
    }
    return false;
  }

  // A member beside the one that just went inside the path has fewer than two ways left.
  bool stuck(std::uint32_t inner) const {
    return std::any_of(next_[inner].begin(), next_[inner].end(),
                       [&](std::uint32_t n) { return !on_path_[n] && open_[n] < 2; });
  }

  const StrandGraph& graph_;
  std::uint64_t steps_;
  std::vector<std::vector<std::uint32_t>> next_;
  std::vector<char> on_path_;
  std::vector<std::size_t> open_;
  std::vector<std::uint32_t> path_;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> find_single_cycle(const StrandGraph& graph, std::uint64_t steps) {
  return Backtracking(graph, steps).run();
}

}  // namespace trn
