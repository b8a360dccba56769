// Runs one Program on one machine.
#pragma once

#include "isa/program.h"
#include "models/machine_config.h"
#include "sim/machine/rank_machine.h"
#include "sim/run/run_result.h"

namespace trn {

// One rank alone, or standing for a whole mesh of equal ranks. Throws DeadlockError naming who waits on what,
// ProgramError on a program that breaks a rule of the machine.
RunResult run_program(const Program& program, const MachineConfig& machine, Mesh mesh = {});

// The same with every rank of the mesh simulated: how long until the last is done.
Picoseconds run_every_rank(const Program& program, const MachineConfig& machine, Mesh mesh);

}  // namespace trn
