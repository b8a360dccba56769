// Who runs the workers of a study: this machine, Slurm, or GNU parallel.
#pragma once

#include <string>

namespace trn {

struct Submission {
  std::string folder;      // of the plan; seen under the same path wherever workers run
  std::size_t shards = 1;  // workers
  std::size_t jobs = 0;    // points a worker computes at a time; 0: as many as cores
  std::string hosts;       // of GNU parallel: --sshlogin
  std::string options;     // more options of sbatch or parallel, separated by spaces
  bool wait = false;       // Slurm: until the array has ended
};

// Writes FOLDER/slurm.sh, a job array of one task a shard, and gives it to sbatch. UsageError if sbatch is
// not there or refuses; the line it printed, else.
std::string submit_to_slurm(const Submission& submission);

// Runs one worker a shard through `parallel`, and waits. UsageError if it is not there or a worker failed.
void submit_to_parallel(const Submission& submission);

}  // namespace trn
