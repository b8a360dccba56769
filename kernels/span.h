// Dimensions cut into pieces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace trn {

constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

// [begin, begin + size) of a dimension.
struct Span {
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t end() const { return begin + size; }
};

inline std::vector<Span> pieces(Span whole, std::uint64_t step) {
  std::vector<Span> out;
  for (std::uint64_t at = whole.begin; at < whole.end(); at += step)
    out.push_back({at, std::min(step, whole.end() - at)});
  return out;
}

}  // namespace trn
