// The order in which steps can run, or who waits for whom.
#pragma once

#include <vector>

#include "models/interconnect/collectives/msccl/msccl_queues.h"

namespace trn {

// ProgramError with the cycle if steps wait for each other. Dependencies exist.
std::vector<MscclStepId> order_msccl_steps(const MscclProgram& program,
                                           const std::vector<MscclMatch>& matches);

}  // namespace trn
