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

// Moving columns that enter the array a cycle.
constexpr std::uint64_t columns_per_cycle(DType dtype, const TensorConfig& engine) {
  if (dtype == DType::kFp4E2M1X4) return engine.mxfp4_columns_per_cycle;
  if (is_mx(dtype)) return engine.mxfp8_columns_per_cycle;
  return is_fp8(dtype) ? engine.fp8_columns_per_cycle : 1;
}

// Array time of one MultiplyMoving, without the current limiter: N columns or the floor a pass, plus the
// bubble every MATMUL opcode loses. FP32 takes 4 passes issued as 2 opcodes.
constexpr Cycles matmul_interval(const MatmulShape& op, const TensorConfig& engine) {
  const std::uint64_t packed = columns_per_cycle(op.dtype, engine);
  const Cycles streaming = std::max(Cycles((op.moving_columns + packed - 1) / packed), engine.min_interval);
  const bool fp32 = op.dtype == DType::kFp32;
  const std::uint64_t passes = fp32 ? engine.fp32_passes : 1;
  const std::uint64_t opcodes = fp32 ? engine.fp32_opcodes : 1;
  return streaming * passes + engine.bubble * opcodes;
}

// Multiply-adds of a dtype in the time of one in bf16: rows of K that an element holds, two of them in FP8
// double row, by the columns that enter a cycle.
constexpr std::uint64_t multiply_speedup(DType dtype, const TensorConfig& engine) {
  const std::uint64_t rows = is_fp8(dtype) && engine.fp8_double_row ? 2 : info(dtype).values;
  return rows * columns_per_cycle(dtype, engine);
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

// What no stream of matmuls of that mode exceeds: all rows and columns, and the moving columns that enter
// a cycle and pass.
constexpr std::uint64_t peak_flops_per_cycle(const MatmulMode& mode, const TensorConfig& engine) {
  const std::uint64_t depth = info(mode.dtype).values * (mode.sparse ? engine.sparsity_speedup : 1);
  const std::uint64_t passes = mode.dtype == DType::kFp32 ? engine.fp32_passes : 1;
  return 2 * engine.rows * engine.columns * depth * (mode.double_row ? 2 : 1) *
         columns_per_cycle(mode.dtype, engine) / passes;
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
