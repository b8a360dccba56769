#include "sim/machine/chip_stacks.h"

#include <algorithm>

namespace trn {

double other_die_share(std::uint64_t stacks, std::uint64_t further) {
  std::uint64_t crossing = 0;
  for (std::uint64_t own = 0; own < stacks; ++own)
    if (die_of_stack(own, stacks) != die_of_stack((own + further) % stacks, stacks)) ++crossing;
  return static_cast<double>(crossing) / static_cast<double>(stacks);
}

std::uint32_t furthest_stack(const Program& program) {
  std::uint32_t furthest = 0;
  for (const TensorDecl& tensor : program.tensors) furthest = std::max(furthest, tensor.stack);
  return furthest;
}

}  // namespace trn
