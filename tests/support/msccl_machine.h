// MSCCL programs executed on bytes, as written and as operations.
#pragma once

#include <array>
#include <random>
#include <vector>

#include "models/interconnect/collectives/msccl/msccl_operations.h"

namespace trn {

// A byte a chunk: by gpu and buffer. Reduction is addition modulo 256.
using MscclBytes = std::vector<std::array<std::vector<std::uint8_t>, 3>>;

MscclBytes random_msccl_bytes(const MscclMemory& memory, std::mt19937_64& random);

// What the file says: every thread block its steps in order, FIFOs without limit between them, whichever can
// run next at random.
void interpret_msccl(const MscclProgram& program, MscclBytes& bytes, std::mt19937_64& random);

// The operations in any order that `after` allows, at random.
void execute_msccl(const MscclOperations& expanded, MscclBytes& bytes, std::mt19937_64& random);

// Small programs that end: gpus in a ring, a thread block each way. Steps of different thread blocks of a gpu
// follow each other, so that all executions agree.
MscclProgram random_msccl_program(std::mt19937_64& random);

}  // namespace trn
