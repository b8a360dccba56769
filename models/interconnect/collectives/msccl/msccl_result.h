// Whether an MSCCL program does what its collective must.
#pragma once

#include "models/interconnect/collectives/algorithms/task.h"
#include "models/interconnect/collectives/msccl/msccl_program.h"

namespace trn {

// Into how many chunks the task's bytes are cut. Runs the program on a random number a chunk: ProgramError
// naming the first chunk that ends wrong. What a rank keeps of its own data in an all-gather, gather, scatter
// or all-to-all is not asked for: it may lie where it was.
std::uint32_t check_msccl_result(const MscclProgram& program, const CollectiveTask& task);

}  // namespace trn
