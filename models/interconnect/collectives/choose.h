// Which algorithm "auto" is.
#pragma once

#include <string>

#include "models/interconnect/collectives/algorithms/algorithm.h"
#include "models/interconnect/collectives/collective_config.h"

namespace trn {

// By the table; where nothing in it suits the group, the first algorithm that does.
std::string choose_algorithm(const CollectiveTask& task, const GroupShape& shape,
                             const AlgorithmTable& table);

}  // namespace trn
