// Runs a program or a job on one machine. Mistakes in them are told before simulated time starts
// (ProgramError); DeadlockError names who waits on what.
#pragma once

#include "isa/job.h"
#include "models/core/engine/execution_observer.h"
#include "models/machine_config.h"
#include "sim/machine/run_listener.h"
#include "sim/run/run_result.h"

namespace trn {

// One rank alone.
RunResult run_program(const Program& program, const MachineConfig& machine,
                      ExecutionObserver* observer = nullptr, RunListener* listener = nullptr);

// Empty if one rank can stand for all of the job's; else the reason.
std::string why_not_folded(const Job& job, const MachineConfig& machine);

// Rank 0 of a job that has one program for all, standing for all of them.
RunResult run_folded(const Job& job, const MachineConfig& machine, ExecutionObserver* observer = nullptr,
                     RunListener* listener = nullptr);

// Every rank simulated.
struct JobResult {
  Picoseconds time;                 // when the last rank is done
  std::vector<Picoseconds> finish;  // by rank
  std::uint64_t slowest = 0;        // the first of the ranks that finish last,
  RunResult slowest_cores;          // and what its cores did, and its stack, DMA engines and regions; the
                                    // sums over all transfers are not told apart by rank
};
JobResult run_every_rank(const Job& job, const MachineConfig& machine, RunListener* listener = nullptr);

}  // namespace trn
