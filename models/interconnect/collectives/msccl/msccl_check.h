// Whether the parts of an MSCCL program fit each other, before anything is simulated.
#pragma once

#include <vector>

#include "models/interconnect/collectives/msccl/msccl_program.h"

namespace trn {

// Every step once, in an order in which they can run: after the step before it in its thread block, the step
// it depends on, and the send of what it receives. Sends and receives between the same gpus on the same
// channel match in order.
//
// ProgramError if peers, chunks or dependencies do not exist, if a send has no receive, a receive no send or
// another count, or if steps wait for each other.
std::vector<MscclStepId> check_msccl(const MscclProgram& program);

}  // namespace trn
