// An MSCCL program as DMA engines would do it: a rank adds up what arrived while it sends it on.
#pragma once

#include <vector>

#include "models/interconnect/collectives/msccl/msccl_operations.h"

namespace trn {

// One read of every source, added up, and one write to every destination, by the engines of `executor`.
struct MscclMove {
  std::uint32_t executor = 0;
  std::vector<MscclSpot> sources;       // on the executor
  std::vector<MscclSpot> destinations;  // the first may be elsewhere, a second is on the executor
  std::uint32_t count = 0;              // chunks
  std::vector<std::uint32_t> after;     // earlier moves that must be complete; sorted
  std::uint32_t chain = 0;  // moves of a chain mostly follow each other: a thread block's, or their additions

  bool writes_to(std::uint32_t gpu) const {
    for (const MscclSpot& to : destinations)
      if (to.gpu == gpu) return true;
    return false;
  }
};

struct MscclMoves {
  std::vector<MscclMove> moves;
  MscclMemory memory;
  std::uint32_t chains = 0;
};

// What a rank receives to be added goes to scratch of its own, and is added by a move of its own there; where
// the sum is sent next, by the move that sends it. A move waits for what precedes it in the file as far as
// its executor takes part in that, and for whatever still needs, or must first write, the memory that it
// touches.
MscclMoves msccl_moves(const MscclProgram& program);

}  // namespace trn
