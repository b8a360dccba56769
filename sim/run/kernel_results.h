// What a run's kernels did, and what the arrays could have done for them.
#pragma once

#include "models/core/engine/region_visits.h"
#include "sim/run/run_result.h"

namespace trn {

// Fills the result's kernels and ceilings. Both lists are by region of the program; `transfers` may end
// early.
void collect_kernels(const std::vector<RegionWork>& work, const std::vector<TransferTimes>& transfers,
                     const Program& program, const TensorConfig& tensor, RunResult& result);

}  // namespace trn
