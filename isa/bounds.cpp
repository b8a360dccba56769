#include "isa/bounds.h"

namespace trn {
namespace {

// Far past any tensor, far from 64-bit overflow.
constexpr std::int64_t kFar = std::int64_t{1} << 62;
using Wide = __int128;

std::int64_t clamp(Wide value) {
  return static_cast<std::int64_t>(value > kFar ? Wide{kFar} : value < -Wide{kFar} ? -Wide{kFar} : value);
}

}  // namespace

Range affine_range(std::int64_t base, const std::vector<std::pair<std::int64_t, std::uint64_t>>& terms) {
  Wide low = base;
  Wide high = base;
  for (const auto& [coefficient, trips] : terms) {
    const Wide span = static_cast<Wide>(coefficient) * static_cast<Wide>(trips == 0 ? 0 : trips - 1);
    (span < 0 ? low : high) += span;
    low = clamp(low);
    high = clamp(high);
  }
  return {clamp(low), clamp(high)};
}

std::string bounds_problem(const AccessPattern& pattern, const TensorDecl& tensor, Range row, Range offset) {
  const Wide rows = static_cast<Wide>(tensor.rows());
  const Wide row_elements = static_cast<Wide>(tensor.row_elements());
  if (row.low < 0 || static_cast<Wide>(row.high) + pattern.rows > rows)
    return "rows " + std::to_string(row.low) + " to " +
           std::to_string(clamp(static_cast<Wide>(row.high) + pattern.rows - 1)) + " of " + tensor.name +
           " are out of range; it has " + std::to_string(tensor.rows());
  if (pattern.dynamic()) return "";  // checked when its register is known
  Wide first = offset.low;
  Wide last = offset.high;
  for (std::uint32_t d = 0; d < pattern.dim_count; ++d) {
    const Wide span = static_cast<Wide>(pattern.dims[d].step) * static_cast<Wide>(pattern.dims[d].num - 1);
    (span < 0 ? first : last) += clamp(span);
  }
  Wide limit = row_elements;
  if (tensor.space == Space::kHbm) {
    first += static_cast<Wide>(row.low) * row_elements;
    last += (static_cast<Wide>(row.high) + pattern.rows - 1) * row_elements;
    limit = row_elements * rows;
  }
  if (first >= 0 && last < limit) return "";
  return "the pattern on " + tensor.name + " reaches element " +
         std::to_string(clamp(first < 0 ? first : last)) + "; it has " + std::to_string(clamp(limit)) +
         (tensor.space == Space::kHbm ? "" : " a partition");
}

}  // namespace trn
