// What a rank that executes a move knows to be complete, through what it waited for.
#pragma once

#include "models/interconnect/collectives/msccl/msccl_moves.h"

namespace trn {

// Counts, for every move, how many of each chain's first moves are complete when it starts.
class MscclKnowledge {
 public:
  explicit MscclKnowledge(const MscclMoves& all);

  // Moves are told about in order, each with what it waits for before it is waited for.
  void add(std::uint32_t move, std::uint32_t waits_for);
  bool knows(std::uint32_t move, std::uint32_t other) const {
    return known_[move][all_.moves[other].chain] > place_[other];
  }

 private:
  const MscclMoves& all_;
  std::vector<std::uint32_t> place_;               // of a move in its chain
  std::vector<std::vector<std::uint32_t>> known_;  // by move and chain
};

}  // namespace trn
