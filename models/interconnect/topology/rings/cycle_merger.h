// Makes rings of sets of cycles by exchanging strands between the sets.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "models/interconnect/topology/rings/strand_graph.h"

namespace trn {

// Takes the colours of find_two_factors(). A move swaps the two colours along a closed trail on which they
// alternate (four strands in the simplest case), so every member keeps two strands of each colour; it stays
// if there are fewer cycles after it, and sometimes if there are not.
class CycleMerger {
 public:
  CycleMerger(const StrandGraph& graph, std::vector<std::uint32_t> colour, std::uint32_t count,
              std::mt19937_64& random);

  // True when every colour is one cycle. Takes what it uses from `moves`, and stops at `floor`.
  bool run(std::uint64_t& moves, std::uint64_t floor);

  // The members along the colours that are one cycle.
  std::vector<std::vector<std::uint32_t>> rings() const;

 private:
  std::vector<std::uint32_t>& at(std::uint32_t colour, std::uint32_t member) {
    return at_[colour * graph_.members + member];
  }
  const std::vector<std::uint32_t>& at(std::uint32_t colour, std::uint32_t member) const {
    return at_[colour * graph_.members + member];
  }
  bool find_trail(std::uint32_t first, std::uint32_t second);
  void swap_along_trail(std::uint32_t first, std::uint32_t second);
  void recolour(std::uint32_t strand, std::uint32_t to);
  std::uint32_t count_cycles(std::uint32_t colour);
  std::uint32_t pick(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }

  const StrandGraph& graph_;
  std::vector<std::uint32_t> colour_;
  std::uint32_t count_;  // also the colour of what is left over, which need not form anything
  std::mt19937_64& random_;
  std::vector<std::vector<std::uint32_t>> at_;  // strands by colour and member
  std::vector<std::uint32_t> cycles_;           // by colour
  std::vector<std::uint32_t> trail_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
};

}  // namespace trn
