// HBM tensors as matrices of numbers; a packed element gives its lanes.
#pragma once

#include <random>

#include "isa/semantics/memory.h"
#include "kernels/registry.h"

namespace trn {

// Numbers nobody wrote are NaN.
Matrix read_matrix(RankMemory& memory, std::uint32_t tensor);
void write_matrix(RankMemory& memory, std::uint32_t tensor, const Matrix& values);
// Nobody has written it.
void forget(RankMemory& memory, std::uint32_t tensor);

// Normally distributed, of a tensor's shape.
Matrix normal_matrix(const TensorDecl& tensor, std::mt19937_64& random);

}  // namespace trn
