// Cables cut into strands of one rate: a ring takes one strand of every cable it passes.
#pragma once

#include <cstdint>
#include <vector>

namespace trn {

struct Strand {
  std::uint32_t a, b;
  std::uint32_t other(std::uint32_t end) const { return end == a ? b : a; }
};

struct StrandGraph {
  StrandGraph(std::uint32_t count, std::vector<Strand> list)
      : members(count), strands(std::move(list)), at(count) {
    for (std::uint32_t s = 0; s < strands.size(); ++s) {
      at[strands[s].a].push_back(s);
      at[strands[s].b].push_back(s);
    }
  }

  std::uint32_t members;
  std::vector<Strand> strands;                 // a != b
  std::vector<std::vector<std::uint32_t>> at;  // strands of a member
};

// A cycle enters and leaves every member, and no ring crosses a gap: at most so many rings fit.
std::uint32_t most_rings(const StrandGraph& graph);

}  // namespace trn
