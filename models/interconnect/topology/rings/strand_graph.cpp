#include "models/interconnect/topology/rings/strand_graph.h"

#include <algorithm>
#include <limits>

namespace trn {
namespace {

bool connected(const StrandGraph& graph) {
  std::vector<char> seen(graph.members);
  std::vector<std::uint32_t> reached{0};
  seen[0] = 1;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const std::uint32_t s : graph.at[reached[i]]) {
      const std::uint32_t next = graph.strands[s].other(reached[i]);
      if (!seen[next]) reached.push_back(next);
      seen[next] = 1;
    }
  return reached.size() == graph.members;
}

}  // namespace

std::uint32_t most_rings(const StrandGraph& graph) {
  if (!connected(graph)) return 0;
  std::size_t most = std::numeric_limits<std::uint32_t>::max();
  for (const auto& strands : graph.at) most = std::min(most, strands.size() / 2);
  return static_cast<std::uint32_t>(most);
}

}  // namespace trn
