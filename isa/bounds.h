// Does an operand stay inside its tensor, over all iterations of the loops around it?
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "isa/program.h"

namespace trn {

struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

// base + sum(coefficient * i), 0 <= i < trips; clamped to +-2^62.
Range affine_range(std::int64_t base, const std::vector<std::pair<std::int64_t, std::uint64_t>>& terms);

// "" or what is wrong. HBM rows are contiguous, so an HBM pattern may run past its row but not past the
// tensor; SBUF and PSUM patterns may not leave their partition. Of a dynamic pattern only the rows are known.
std::string bounds_problem(const AccessPattern& pattern, const TensorDecl& tensor, Range row, Range offset);

}  // namespace trn
