// Random programs that cannot deadlock: every wait asks for posts of instructions that stand before it in one
// global order, as a kernel author writes them.
#pragma once

#include <cstdint>

#include "isa/program.h"

namespace trn {

struct RandomProgramOptions {
  std::uint64_t seed = 1;
  std::size_t cores = 1;
  std::size_t bodies = 3;      // different loop bodies
  std::size_t body_size = 12;  // instructions, over all engines
  std::size_t iterations = 5;  // of each body
  bool control = false;        // run-time loops and branches, registers, semaphores that are cleared
};

Program random_program(const RandomProgramOptions& options);

}  // namespace trn
