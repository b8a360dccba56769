// Spreads the bits of a number over all bits of another, for hashing.
#pragma once

#include <cstdint>

namespace trn {

// The finaliser of the 64-bit Murmur3 hash; 0, which it would leave alone, is moved out of the way.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
  return x ^ x >> 33;
}

}  // namespace trn
