// Reduce-scatter and all-gather as nested stages; every algorithm for them is a choice of stages.
#pragma once

#include <vector>

#include "models/interconnect/collectives/schedule/schedule.h"

namespace trn {

// One stage halves, quarters, ... the data a rank is responsible for; the all-gather undoes it.
struct Stage {
  enum class Kind : std::uint8_t {
    kRing,      // round the team, a block a step; backwards if not `forward`
    kExchange,  // with each teammate directly
    kInPlace    // teammates share a chip: whoever needs their data reads it where it lies. First stage only
  };
  Kind kind = Kind::kExchange;
  std::uint32_t teams = 0;  // index in Schedule::teams
  bool forward = true;
  bool duplicate = false;  // kInPlace with two: the ring that follows writes both teammates' copies at once
};

// A fixed share of the data goes its own way, in slices that follow each other.
struct Chain {
  double share = 1;
  std::uint64_t slices = 1;
  std::vector<Stage> stages;  // of the reduce-scatter; the all-gather goes backwards
};

enum class Phases : std::uint8_t { kReduceScatter, kAllGather, kAllReduce };

// Appends the chains' steps to a schedule that has ranks, layout and teams. Block b ends with rank b.
void unroll(const std::vector<Chain>& chains, Phases phases, Schedule& schedule);

// One rank's whole buffer to all, or the sum of all to one rank: a scatter before the all-gather, a gather
// after the reduce-scatter. With the root's own block empty, the root sends or gets every byte once.
enum class Rooted : std::uint8_t { kBroadcast, kReduce };
void unroll_rooted(const std::vector<Chain>& chains, Rooted what, std::uint32_t root, Schedule& schedule);

}  // namespace trn
