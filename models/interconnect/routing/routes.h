// Which links the bytes from one chip to another go over, and in which shares.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/interconnect/topology/topology.h"

namespace trn {

struct LinkLoad {
  std::uint32_t link;
  double share;  // of the bytes
};

// Packets cut through: every hop adds its latency once, and none holds the bytes back.
struct Route {
  std::vector<LinkLoad> loads;  // sorted by link
  Picoseconds latency;          // of the head, over the longest path used
  std::uint32_t hops = 0;       // of that path
};

struct MinimalPaths;

// Computed when first asked for, and kept. The policy is the topology's.
class Routes {
 public:
  explicit Routes(const Topology& topology);
  ~Routes();

  // Between chips; empty from a chip to itself.
  const Route& between(std::uint64_t from, std::uint64_t to) const;

 private:
  bool in_one_dimension(std::uint64_t from, std::uint64_t to) const;
  Route find(std::uint64_t from, std::uint64_t to) const;
  Route balanced(std::uint64_t from, std::uint64_t to) const;
  Route over_twin(std::uint64_t from, std::uint64_t to, double first_share) const;

  const Topology& topology_;
  mutable std::unordered_map<std::uint64_t, Route> routes_;               // references into it stay valid
  mutable std::map<std::uint64_t, std::unique_ptr<MinimalPaths>> paths_;  // by destination
};

}  // namespace trn
