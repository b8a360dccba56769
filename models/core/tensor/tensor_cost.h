// What Tensor engine instructions cost. TensorE is deeply pipelined: a stream of matmuls costs the gap
// between two issues, one moving column a cycle. Sources: docs/calibration.md#tensor.
#pragma once

#include <algorithm>
#include <tuple>

#include "isa/dtype.h"
#include "models/machine_config.h"

namespace trn {

struct MatmulShape {
  std::uint64_t moving_columns;      // N
  std::uint64_t stationary_columns;  // M
  DType dtype;
};

// Array time of one MultiplyMoving, without the current limiter: max(N, floor) cycles a pass, plus the
// bubble every MATMUL opcode loses. FP32 takes 4 passes issued as 2 opcodes.
constexpr Cycles matmul_interval(const MatmulShape& op, const TensorConfig& engine) {
  const Cycles streaming = std::max(Cycles(op.moving_columns), engine.min_interval);
  const bool fp32 = op.dtype == DType::kFp32;
  const std::uint64_t passes = fp32 ? engine.fp32_passes : 1;
  const std::uint64_t opcodes = fp32 ? engine.fp32_opcodes : 1;
  return streaming * passes + engine.bubble * opcodes;
}

// How the instructions of a program use the array.
struct MatmulMode {
  DType dtype;  // of the moving data
  bool double_row;
  bool sparse;
  bool operator<(const MatmulMode& o) const {
    return std::tie(dtype, double_row, sparse) < std::tie(o.dtype, o.double_row, o.sparse);
  }
};

// What no stream of matmuls of that mode exceeds: all rows and columns, a moving column a cycle and pass.
constexpr std::uint64_t peak_flops_per_cycle(const MatmulMode& mode, const TensorConfig& engine) {
  const std::uint64_t depth = info(mode.dtype).values * (mode.sparse ? engine.sparsity_speedup : 1);
  const std::uint64_t passes = mode.dtype == DType::kFp32 ? engine.fp32_passes : 1;
  return 2 * engine.rows * engine.columns * depth * (mode.double_row ? 2 : 1) / passes;
}

// LoadStationary runs beside the previous multiply, up to 4 columns a cycle.
constexpr Cycles weight_load(std::uint64_t stationary_columns, const TensorConfig& engine) {
  return Cycles((stationary_columns + engine.weight_columns_per_cycle - 1) / engine.weight_columns_per_cycle);
}

// Transpose of [rows, columns] through the array: max(P, min(64, F)) a pass.
constexpr Cycles transpose_interval(std::uint64_t rows, std::uint64_t columns, DType dtype,
                                    const TensorConfig& engine) {
  const std::uint64_t passes = size_of(dtype) == 4 ? engine.fp32_transpose_passes : 1;
  return Cycles(std::max(rows, std::min<std::uint64_t>(64, columns)) * passes) + engine.bubble;
}

}  // namespace trn
