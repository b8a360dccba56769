// The HBM stacks of a chip as its ranks count them: from their own on, half of them on each die.
#pragma once

#include <cstdint>

#include "isa/program.h"
#include "models/machine_config.h"

namespace trn {

// Up to two stacks sit on one die.
constexpr std::uint64_t die_of_stack(std::uint64_t stack, std::uint64_t stacks) {
  return stacks > 2 && stack >= stacks / 2 ? 1 : 0;
}

// Stacks that serve the same ranks are one pool, as if addresses were interleaved over them: the two of a
// pair of cores that have one each, or all that an uneven number of ranks shares.
struct StackPools {
  std::uint64_t count;   // of a chip
  std::uint64_t stacks;  // of one
};
// For ranks of so many cores, on all of a chip's seats or one alone, which has the stacks of its own cores.
StackPools stack_pools(const MachineConfig& machine, std::uint64_t cores);
StackPools stack_pools_alone(const MachineConfig& machine, std::uint64_t cores);

// Share of the chip's stacks from which the stack so many further on lies on the other die: what a rank that
// stands for all sees.
double other_die_share(std::uint64_t stacks, std::uint64_t further);

// The furthest stack, counted from the own, on which a tensor of the program lies.
std::uint32_t furthest_stack(const Program& program);

}  // namespace trn
