// Sums are sent on by the move that makes them.
#pragma once

#include <vector>

#include "models/interconnect/collectives/msccl/msccl_moves.h"

namespace trn {

// Where a sum is sent on, the sending move does the addition too, and leaves the sum where the file wants it.
// Moves stay in an order in which they can run.
void join_msccl_additions(const MscclProgram& program, std::vector<MscclMove>& moves);

}  // namespace trn
