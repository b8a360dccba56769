// Which send feeds which receive.
#pragma once

#include <vector>

#include "models/interconnect/collectives/msccl/msccl_program.h"

namespace trn {

struct MscclMatch {
  MscclStepId send, receive;
};

// Between two gpus on one channel, in order. ProgramError about what is left over or differs in size. Peers
// exist.
std::vector<MscclMatch> match_msccl_queues(const MscclProgram& program);

}  // namespace trn
