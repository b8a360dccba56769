#include "models/interconnect/topology/distances.h"

#include <functional>
#include <queue>

namespace trn {
namespace {

enum class Direction { kAgainstLinks, kAlongLinks };

std::vector<std::uint32_t> search(const Topology& topology, std::uint64_t start, Direction direction) {
  const bool along = direction == Direction::kAlongLinks;
  std::vector<std::uint32_t> hops(topology.vertices(), kUnreachable);
  std::vector<std::uint32_t> queue{static_cast<std::uint32_t>(start)};
  hops[start] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t at = queue[i];
    for (const std::uint32_t l : along ? topology.outgoing(at) : topology.incoming(at)) {
      const std::uint32_t next = along ? topology.links()[l].to : topology.links()[l].from;
      if (hops[next] != kUnreachable) continue;
      hops[next] = hops[at] + 1;
      queue.push_back(next);
    }
  }
  return hops;
}

}  // namespace

std::vector<std::uint32_t> hops_to(const Topology& topology, std::uint64_t vertex) {
  return search(topology, vertex, Direction::kAgainstLinks);
}

std::vector<std::uint32_t> hops_from(const Topology& topology, std::uint64_t vertex) {
  return search(topology, vertex, Direction::kAlongLinks);
}

std::vector<Picoseconds> latency_from(const Topology& topology, std::uint64_t vertex) {
  using Reached = std::pair<Picoseconds, std::uint64_t>;
  std::vector<Picoseconds> latency(topology.vertices(), Picoseconds::max());
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
  latency[vertex] = Picoseconds(0);
  open.push({Picoseconds(0), vertex});
  while (!open.empty()) {
    const auto [at, from] = open.top();
    open.pop();
    if (latency[from] < at) continue;
    for (const std::uint32_t l : topology.outgoing(from)) {
      const Link& link = topology.links()[l];
      const Picoseconds there = at + topology.classes()[link.link_class].latency;
      if (latency[link.to] <= there) continue;
      latency[link.to] = there;
      open.push({there, link.to});
    }
  }
  return latency;
}

}  // namespace trn
