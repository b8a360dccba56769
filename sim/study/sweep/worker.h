// Computes points that are not there yet.
#pragma once

#include <string>
#include <vector>

#include "sim/study/sweep/plan.h"

namespace trn {

struct Shard {
  std::size_t index = 0, count = 1;
};

// "2/7". Without text: the index from SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX (both from 0) or PARALLEL_SEQ
// (from 1), of `count`. UsageError.
Shard parse_shard(const std::string& text, std::size_t count);

struct WorkSummary {
  std::size_t computed = 0, failed = 0, there = 0;
  int exit_code = 0;        // of the first point that failed,
  std::string first_error;  // and its line
};

// Every index-th point of the plan, `jobs` at a time, each in a process of its own; a file a point. Points
// that are there are left as they are. A full disk or a folder that cannot be written ends it (UsageError).
WorkSummary work_on(const Plan& plan, const std::string& folder, Shard shard, std::size_t jobs);

}  // namespace trn
