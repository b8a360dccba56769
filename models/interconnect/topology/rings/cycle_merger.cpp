#include "models/interconnect/topology/rings/cycle_merger.h"

#include <algorithm>

namespace trn {
namespace {

constexpr std::size_t kLongestTrail = 32;   // strands; short ones alone seldom join two cycles at once
constexpr std::uint64_t kWorseOnceIn = 64;  // chance of a move that adds a cycle: the way out of dead ends

}  // namespace

CycleMerger::CycleMerger(const StrandGraph& graph, std::vector<std::uint32_t> colour, std::uint32_t count,
                         std::mt19937_64& random)
    : graph_(graph),
      colour_(std::move(colour)),
      count_(count),
      random_(random),
      at_((count + 1) * std::size_t{graph.members}),
      seen_(graph.members) {
  for (std::uint32_t s = 0; s < colour_.size(); ++s)
    for (const std::uint32_t end : {graph.strands[s].a, graph.strands[s].b}) at(colour_[s], end).push_back(s);
  for (std::uint32_t c = 0; c < count; ++c) cycles_.push_back(count_cycles(c));
  cycles_.push_back(0);
}

bool CycleMerger::run(std::uint64_t& moves, std::uint64_t floor) {
  std::vector<std::uint32_t> broken;
  for (; moves > floor; --moves) {
    broken.clear();
    for (std::uint32_t c = 0; c < count_; ++c)
      if (cycles_[c] > 1) broken.push_back(c);
    if (broken.empty()) return true;
    const std::uint32_t first = broken[pick(broken.size())];
    const std::uint32_t second = (first + 1 + pick(count_)) % (count_ + 1);
    if (!find_trail(first, second)) continue;
    swap_along_trail(first, second);
    const std::uint32_t in_first = count_cycles(first);
    const std::uint32_t in_second = second == count_ ? 0 : count_cycles(second);
    const std::uint32_t before = cycles_[first] + cycles_[second], after = in_first + in_second;
    if (after <= before || (after == before + 1 && random_() % kWorseOnceIn == 0)) {
      cycles_[first] = in_first;
      cycles_[second] = in_second;
    } else {
      swap_along_trail(first, second);
    }
  }
  return false;
}

// first, second, first, second ... back to where it began, no strand twice.
bool CycleMerger::find_trail(std::uint32_t first, std::uint32_t second) {
  trail_.clear();
  const std::uint32_t start = pick(graph_.members);
  std::uint32_t member = start;
  const auto fresh = [&](std::uint32_t s) {
    return std::find(trail_.begin(), trail_.end(), s) == trail_.end();
  };
  while (trail_.size() < kLongestTrail) {
    const bool closing = trail_.size() % 2 == 1;
    const auto& strands = at(closing ? second : first, member);
    if (closing)
      for (const std::uint32_t s : strands)
        if (graph_.strands[s].other(member) == start && fresh(s)) {
          trail_.push_back(s);
          return true;
        }
    if (strands.empty()) return false;
    const std::uint32_t s = strands[pick(strands.size())];
    if (!fresh(s)) return false;
    trail_.push_back(s);
    member = graph_.strands[s].other(member);
  }
  return false;
}

void CycleMerger::swap_along_trail(std::uint32_t first, std::uint32_t second) {
  for (const std::uint32_t s : trail_) recolour(s, colour_[s] == first ? second : first);
}

void CycleMerger::recolour(std::uint32_t strand, std::uint32_t to) {
  for (const std::uint32_t end : {graph_.strands[strand].a, graph_.strands[strand].b}) {
    auto& from = at(colour_[strand], end);
    *std::find(from.begin(), from.end(), strand) = from.back();
    from.pop_back();
    at(to, end).push_back(strand);
  }
  colour_[strand] = to;
}

std::uint32_t CycleMerger::count_cycles(std::uint32_t colour) {
  ++stamp_;
  std::uint32_t cycles = 0;
  for (std::uint32_t start = 0; start < graph_.members; ++start) {
    if (seen_[start] == stamp_) continue;
    ++cycles;
    std::uint32_t strand = at(colour, start)[0];
    for (std::uint32_t member = start; seen_[member] != stamp_;) {
      seen_[member] = stamp_;
      member = graph_.strands[strand].other(member);
      const auto& two = at(colour, member);
      strand = two[0] == strand ? two[1] : two[0];
    }
  }
  return cycles;
}

std::vector<std::vector<std::uint32_t>> CycleMerger::rings() const {
  std::vector<std::vector<std::uint32_t>> rings;
  for (std::uint32_t c = 0; c < count_; ++c) {
    if (cycles_[c] != 1) continue;
    std::vector<std::uint32_t> ring{0};
    std::uint32_t strand = std::min(at(c, 0)[0], at(c, 0)[1]);
    while (ring.size() < graph_.members) {
      ring.push_back(graph_.strands[strand].other(ring.back()));
      const auto& two = at(c, ring.back());
      strand = two[0] == strand ? two[1] : two[0];
    }
    rings.push_back(std::move(ring));
  }
  return rings;
}

}  // namespace trn
