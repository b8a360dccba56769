// What Vector engine instructions cost, in its own cycles; N is elements a partition.
// The 2x/4x modes are found from the operands, as the hardware does. Sources: docs/calibration.md#vector.
#pragma once

#include <algorithm>

#include "isa/program.h"
#include "models/machine_config.h"

namespace trn {

struct VectorOperand {
  Space space = Space::kSbuf;
  DType dtype = DType::kFp32;
  bool contiguous = true;  // innermost step is 1
};

struct VectorCost {
  Cycles busy;
  bool fast_mode = false;  // borrows the bus shared with GpSimd
};

// max(floor, ceil(n * passes / speedup)).
inline VectorCost vector_cost(std::uint64_t n, std::uint64_t passes, std::uint64_t speedup,
                              const VectorConfig& engine) {
  const Cycles streaming((n * passes + speedup - 1) / speedup);
  return {std::max(streaming, engine.min_interval), speedup > 1};
}

// Counts as a 16-bit float for the fast modes.
inline bool is_narrow(DType dtype, const VectorConfig& engine) {
  return is_16bit_float(dtype) || (engine.fp8_fast_modes && is_fp8(dtype));
}

// tensor_copy and tensor_scalar.
inline VectorCost vector_copy_cost(std::uint64_t n, const VectorOperand& dst, const VectorOperand& src,
                                   const VectorConfig& engine) {
  const bool sbuf = dst.space == Space::kSbuf && src.space == Space::kSbuf;
  const bool contiguous = dst.contiguous && src.contiguous;
  std::uint64_t speedup = 1;
  if (is_narrow(dst.dtype, engine) && is_narrow(src.dtype, engine)) {
    if (sbuf)
      speedup = contiguous ? engine.copy_speedup_sbuf_16bit
                           : std::min<std::uint64_t>(2, engine.copy_speedup_sbuf_16bit);
    else if (contiguous)
      speedup = engine.copy_speedup_psum_16bit;
  } else if (sbuf && contiguous) {
    speedup = engine.copy_speedup_sbuf_32bit;
  }
  return vector_cost(n, 1, speedup, engine);
}

// Two inputs share one read port: 2N, unless one of them comes from PSUM, everything is 16 bit wide, or the
// machine reads two wide elements a cycle.
inline VectorCost vector_tensor_tensor_cost(std::uint64_t n, const VectorOperand& dst, const VectorOperand& a,
                                            const VectorOperand& b, const VectorConfig& engine) {
  if (a.space == Space::kPsum || b.space == Space::kPsum) return vector_cost(n, 1, 1, engine);
  const bool narrow =
      is_narrow(dst.dtype, engine) && is_narrow(a.dtype, engine) && is_narrow(b.dtype, engine);
  const bool contiguous = dst.contiguous && a.contiguous && b.contiguous && dst.space == Space::kSbuf;
  return vector_cost(n, 2,
                     narrow       ? engine.tensor_tensor_speedup_16bit
                     : contiguous ? engine.tensor_tensor_speedup_32bit
                                  : 1,
                     engine);
}

}  // namespace trn
