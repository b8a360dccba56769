#include "sim/machine/chip_stacks.h"

#include <algorithm>
#include <numeric>

namespace trn {

StackPools stack_pools(const MachineConfig& machine, std::uint64_t cores) {
  const std::uint64_t pools = std::gcd(machine.hbm.stacks, machine.chip.neuron_cores / cores);
  return {pools, machine.hbm.stacks / pools};
}

StackPools stack_pools_alone(const MachineConfig& machine, std::uint64_t cores) {
  const std::uint64_t own =
      std::max<std::uint64_t>(1, machine.hbm.stacks * cores / machine.chip.neuron_cores);
  return {machine.hbm.stacks / own, own};
}

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
