// Chip numbers as coordinates: the last one varies fastest.
#pragma once

#include <cstdint>
#include <vector>

namespace trn {

inline std::vector<std::uint64_t> coordinates_of(std::uint64_t number,
                                                 const std::vector<std::uint64_t>& sizes) {
  std::vector<std::uint64_t> at(sizes.size());
  for (std::size_t d = sizes.size(); d-- > 0; number /= sizes[d]) at[d] = number % sizes[d];
  return at;
}

inline std::uint64_t number_of(const std::vector<std::uint64_t>& coordinates,
                               const std::vector<std::uint64_t>& sizes) {
  std::uint64_t number = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) number = number * sizes[d] + coordinates[d];
  return number;
}

}  // namespace trn
