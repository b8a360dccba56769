// A golden expression's value.
#pragma once

#include <map>

#include "isa/golden.h"
#include "kernels/registry.h"

namespace trn {

// `tensors` by number, as they were before the run. ProgramError on shapes that do not fit.
Matrix golden_value(const GoldenNode& node, const std::map<std::uint32_t, Matrix>& tensors);

}  // namespace trn
