// The ranks of a communicator, and where they sit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/interconnect/collectives/algorithms/group_shape.h"
#include "models/interconnect/topology/topology.h"

namespace trn {

struct Seat {
  std::uint32_t domain = 0;  // domains are copies of the machine's shape, joined by EFA
  std::uint32_t chip = 0;    // inside the domain
  std::uint32_t lane = 0;    // among the ranks of the chip, all groups'
  bool operator==(const Seat& o) const { return domain == o.domain && chip == o.chip && lane == o.lane; }
};

class Group {
 public:
  // Every chip of every domain with lanes 0 to per_chip - 1.
  static Group whole(std::uint32_t chips, std::uint32_t per_chip, std::uint32_t domains = 1);
  // Rank r of the group sits on seats[r].
  static Group of(std::vector<Seat> seats);

  std::uint32_t ranks() const { return ranks_; }
  Seat seat(std::uint32_t rank) const;
  // Every chip of one domain, or of every domain, the same number of ranks on each.
  bool covers(const Topology& topology) const;
  GroupShape shape(const Topology& topology) const;

 private:
  Group() = default;
  std::uint32_t ranks_ = 1, chips_ = 1, per_chip_ = 1;
  std::vector<Seat> seats_;  // empty: whole
};

// Ranks grouped by chip: that many on each, in seat order; 0 if that differs or the order is another.
std::uint32_t ranks_a_chip(const Group& group);

}  // namespace trn
