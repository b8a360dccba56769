// The fabric's worked examples: what the links alone allow, beside what is simulated.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "isa/program.h"

namespace trn {

inline constexpr std::array<std::uint64_t, 3> kWorkedSizes{1U << 20, 64U << 20, 1U << 30};

// One rank a chip; `bound_us` and `time_us` by size.
struct WorkedBound {
  std::string machine;  // trn3:gen2
  std::string links;    // one of its link presets, or empty
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::string words;  // what the bound is; S the size
  std::string limited_by, algorithm;
  std::array<double, kWorkedSizes.size()> bound_us{}, time_us{};
};

std::vector<WorkedBound> worked_bounds();

}  // namespace trn
