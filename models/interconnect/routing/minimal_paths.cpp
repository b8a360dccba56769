#include "models/interconnect/routing/minimal_paths.h"

#include <algorithm>

#include "models/interconnect/topology/distances.h"

namespace trn {
namespace {

// Vertices by distance: the nearest first.
std::vector<std::vector<std::uint32_t>> layers(const std::vector<std::uint32_t>& hops) {
  std::vector<std::vector<std::uint32_t>> out;
  for (std::uint32_t v = 0; v < hops.size(); ++v) {
    if (hops[v] == kUnreachable) continue;
    if (hops[v] >= out.size()) out.resize(hops[v] + 1);
    out[hops[v]].push_back(v);
  }
  return out;
}

}  // namespace

MinimalPaths minimal_paths_to(const Topology& topology, std::uint64_t chip) {
  MinimalPaths out{hops_to(topology, chip), std::vector<double>(topology.vertices())};
  out.paths[chip] = 1;
  for (const std::vector<std::uint32_t>& layer : layers(out.hops)) {
    double most = 0;
    for (const std::uint32_t v : layer) {
      for (const std::uint32_t l : topology.outgoing(v)) {
        const std::uint32_t next = topology.links()[l].to;
        if (out.hops[v] != 0 && out.hops[next] == out.hops[v] - 1)
          out.paths[v] += topology.rate(l) * out.paths[next];
      }
      most = std::max(most, out.paths[v]);
    }
    for (const std::uint32_t v : layer)
      out.paths[v] /= most;  // thousands of hops would leave a double's range
  }
  return out;
}

Route balanced_route(const Topology& topology, const MinimalPaths& paths, std::uint64_t from) {
  struct Arrival {
    double share = 0;
    Picoseconds latency;
  };
  Route route;
  route.hops = paths.hops[from];
  std::map<std::uint32_t, Arrival> here{{static_cast<std::uint32_t>(from), {1, {}}}};
  for (std::uint32_t left = route.hops; left > 0; --left) {
    std::map<std::uint32_t, Arrival> next;
    for (const auto& [vertex, arrival] : here) {
      std::vector<std::pair<std::uint32_t, double>> ways;  // link, weight
      double sum = 0;
      for (const std::uint32_t l : topology.outgoing(vertex)) {
        const std::uint32_t to = topology.links()[l].to;
        if (paths.hops[to] != left - 1) continue;
        ways.emplace_back(l, topology.rate(l) * paths.paths[to]);
        sum += ways.back().second;
      }
      for (const auto& [l, weight] : ways) {
        const double share = arrival.share * weight / sum;
        route.loads.push_back({l, share});
        Arrival& there = next[topology.links()[l].to];
        there.share += share;
        const LinkClass& c = topology.classes()[topology.links()[l].link_class];
        there.latency = std::max(there.latency, arrival.latency + c.latency);
      }
    }
    here = std::move(next);
  }
  route.latency = here.begin()->second.latency;
  std::sort(route.loads.begin(), route.loads.end(),
            [](const LinkLoad& a, const LinkLoad& b) { return a.link < b.link; });
  return route;
}

}  // namespace trn
