// Element types as numbers: bytes to values and back, rounding to nearest even. A double holds any element
// exactly.
#pragma once

#include <cstdint>

#include "isa/dtype.h"

namespace trn {

// The value of an element's lane (0 but for the x4 types).
double decode(DType dtype, const std::uint8_t* bytes, std::uint32_t lane = 0);

// Writes a lane. Integers and fp8_e4m3fn saturate; the other floats overflow to infinity (fp4 and e8m0, which
// have none, saturate). e8m0 takes the power of two below the value.
void encode(DType dtype, double value, std::uint8_t* bytes, std::uint32_t lane = 0);

// The value after a trip through the dtype.
double rounded(DType dtype, double value);

// Integers as they are stored, for the bit operations.
std::int64_t decode_integer(DType dtype, const std::uint8_t* bytes);
void encode_integer(DType dtype, std::int64_t value, std::uint8_t* bytes);

}  // namespace trn
