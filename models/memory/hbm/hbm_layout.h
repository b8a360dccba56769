// Where a program's tensors lie in their HBM stacks.
#pragma once

#include <vector>

#include "isa/program.h"

namespace trn {

// One after the other in the order of their declaration, from address 0 of each stack on, at multiples of
// 4 KiB. The vendor's allocator is not published; a page is the least alignment it can have.
struct HbmLayout {
  explicit HbmLayout(const Program& program);

  std::vector<std::uint64_t> base;  // by tensor; 0 of those outside of HBM
  std::uint64_t end = 0;            // of the own stack: first byte behind its tensors, aligned
};

}  // namespace trn
