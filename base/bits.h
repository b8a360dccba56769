// Powers of two.
#pragma once

#include <cstdint>

namespace trn {

// Bits that tell `count` things apart: the logarithm, rounded up.
constexpr std::uint32_t bits_for(std::uint64_t count) {
  std::uint32_t bits = 0;
  while ((std::uint64_t{1} << bits) < count) ++bits;
  return bits;
}

}  // namespace trn
