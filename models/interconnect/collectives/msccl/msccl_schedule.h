// An MSCCL program as a schedule.
#pragma once

#include <string>

#include "models/interconnect/collectives/algorithms/task.h"
#include "models/interconnect/collectives/msccl/msccl_program.h"
#include "models/interconnect/collectives/schedule/schedule.h"

namespace trn {

// "all_reduce" is "allreduce" in a file; empty if there are no files for it.
std::string msccl_collective(CollectiveOp op);

// Rank r is gpu r. The task's bytes are cut into the file's chunks, all of one length; where they do not
// divide, the last chunks are padded. ProgramError if the file is for another operation or number of ranks,
// or does not do what its operation must, or if a part of it does not fit another.
Schedule msccl_schedule(const MscclProgram& program, const CollectiveTask& task, std::uint32_t ranks);

// The same without a look at the operation. A buffer's chunk c lies at c * chunk bytes; in place, all that is
// input and output is input.
Schedule msccl_schedule(const MscclProgram& program, std::uint64_t chunk_bytes);

}  // namespace trn
