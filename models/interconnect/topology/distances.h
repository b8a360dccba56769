// Hop counts and latencies between vertices.
#pragma once

#include "models/interconnect/topology/topology.h"

namespace trn {

inline constexpr std::uint32_t kUnreachable = UINT32_MAX;

// By breadth-first search: from every vertex to one, and from one to every vertex. Chips forward, so any
// vertex may lie between.
std::vector<std::uint32_t> hops_to(const Topology& topology, std::uint64_t vertex);
std::vector<std::uint32_t> hops_from(const Topology& topology, std::uint64_t vertex);

// By the way of least latency, whatever its hops.
std::vector<Picoseconds> latency_from(const Topology& topology, std::uint64_t vertex);

}  // namespace trn
