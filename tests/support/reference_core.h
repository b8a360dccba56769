// The oracle: the same core, one event per instruction, in plain order of time. Slow and obvious.
#pragma once

#include "isa/program.h"
#include "models/machine_config.h"
#include "sim/run/run_result.h"

namespace trn {

// Waits, stalls and completion times must equal run_program's to the picosecond. Resources and regions are
// left out of the result.
RunResult reference_run(const Program& program, const MachineConfig& machine);

}  // namespace trn
