#include "isa/semantics/number.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"

namespace trn {
namespace {

// A small float: sign, exponent and mantissa bits; how its largest exponent is used.
struct Format {
  int exponent_bits;
  int mantissa_bits;
  enum class Top { kInfinity, kNan, kNumbers } top;  // NaN: only the all-ones pattern; numbers: no specials
};

constexpr Format format_of(DType dtype) {
  switch (dtype) {
    case DType::kBf16:
      return {8, 7, Format::Top::kInfinity};
    case DType::kFp16:
      return {5, 10, Format::Top::kInfinity};
    case DType::kFp8E4M3:  // the vendor's legacy e4m3 has infinities: largest number 240
      return {4, 3, Format::Top::kInfinity};
    case DType::kFp8E5M2:
    case DType::kFp8E5M2X4:
      return {5, 2, Format::Top::kInfinity};
    case DType::kFp8E4M3Fn:
    case DType::kFp8E4M3FnX4:
      return {4, 3, Format::Top::kNan};
    case DType::kFp4E2M1X4:
      return {2, 1, Format::Top::kNumbers};
    default:
      return {8, 23, Format::Top::kInfinity};
  }
}

double from_bits(std::uint32_t bits, Format f) {
  const std::uint32_t mantissa_mask = (1u << f.mantissa_bits) - 1;
  const std::uint32_t exponent_mask = (1u << f.exponent_bits) - 1;
  const bool negative = (bits >> (f.mantissa_bits + f.exponent_bits) & 1u) != 0;
  const std::uint32_t exponent = bits >> f.mantissa_bits & exponent_mask;
  const std::uint32_t mantissa = bits & mantissa_mask;
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  double value = 0;
  if (exponent == exponent_mask && f.top == Format::Top::kInfinity)
    value =
        mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == exponent_mask && mantissa == mantissa_mask && f.top == Format::Top::kNan)
    value = std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    value = std::ldexp(static_cast<double>(mantissa), 1 - bias - f.mantissa_bits);
  else
    value = std::ldexp(static_cast<double>(mantissa | (1u << f.mantissa_bits)),
                       static_cast<int>(exponent) - bias - f.mantissa_bits);
  return negative ? -value : value;
}

std::uint32_t to_bits(double value, Format f) {
  const std::uint32_t sign = std::signbit(value) ? 1u << (f.mantissa_bits + f.exponent_bits) : 0;
  const std::uint32_t exponent_mask = (1u << f.exponent_bits) - 1;
  const std::uint32_t mantissa_mask = (1u << f.mantissa_bits) - 1;
  const std::uint32_t all_ones = exponent_mask << f.mantissa_bits | mantissa_mask;
  const std::uint32_t infinity = exponent_mask << f.mantissa_bits;
  const std::uint32_t largest = f.top == Format::Top::kInfinity ? infinity - 1
                                : f.top == Format::Top::kNan    ? all_ones - 1
                                                                : all_ones;
  if (std::isnan(value)) return sign | (f.top == Format::Top::kNumbers ? largest : all_ones);
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  std::uint64_t wide = 0;  // of the double: 11 bits of exponent, 52 of mantissa
  std::memcpy(&wide, &magnitude, sizeof wide);
  const int exponent = static_cast<int>(wide >> 52u) - 1023;
  std::uint64_t bits = 0;
  if (exponent >= 1 - bias) {
    // Half of the last place less one, and one more if that place is odd: rounding may carry into the
    // exponent.
    const unsigned dropped = 52u - static_cast<unsigned>(f.mantissa_bits);
    wide += (std::uint64_t{1} << (dropped - 1)) - 1 + (wide >> dropped & 1u);
    bits = (wide >> dropped) - (static_cast<std::uint64_t>(1023 - bias) << f.mantissa_bits);
  } else {  // in units of the least subnormal
    bits = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, f.mantissa_bits + bias - 1)));
  }
  if (bits <= largest) return sign | static_cast<std::uint32_t>(bits);
  return sign | (f.top == Format::Top::kInfinity ? infinity : largest);
}

template <class T>
T load(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
template <class T>
void store(std::uint8_t* bytes, T value) {
  std::memcpy(bytes, &value, sizeof value);
}

// tf32 keeps 10 bits of mantissa in a 32-bit container.
float to_tf32(float value) {
  if (!std::isfinite(value)) return value;
  std::uint32_t bits = load<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(&value));
  bits += 0xfffu + (bits >> 13u & 1u);
  bits &= ~0x1fffu;
  return load<float>(reinterpret_cast<const std::uint8_t*>(&bits));
}

}  // namespace

double decode(DType dtype, const std::uint8_t* bytes, std::uint32_t lane) {
  switch (dtype) {
    case DType::kFp32:
    case DType::kTf32:
      return load<float>(bytes);
    case DType::kBf16:
    case DType::kFp16:
      return from_bits(load<std::uint16_t>(bytes), format_of(dtype));
    case DType::kFp8E4M3:
    case DType::kFp8E5M2:
    case DType::kFp8E4M3Fn:
      return from_bits(*bytes, format_of(dtype));
    case DType::kFp8E4M3FnX4:
    case DType::kFp8E5M2X4:
      return from_bits(bytes[lane], format_of(dtype));
    case DType::kFp4E2M1X4:
      return from_bits(bytes[lane / 2] >> (4 * (lane % 2)) & 15u, format_of(dtype));
    case DType::kE8M0:
      return *bytes == 255 ? std::numeric_limits<double>::quiet_NaN()
                           : std::ldexp(1.0, static_cast<int>(*bytes) - 127);
    default:
      return static_cast<double>(decode_integer(dtype, bytes));
  }
}

void encode(DType dtype, double value, std::uint8_t* bytes, std::uint32_t lane) {
  switch (dtype) {
    case DType::kFp32:
      return store(bytes, static_cast<float>(value));
    case DType::kTf32:
      return store(bytes, to_tf32(static_cast<float>(value)));
    case DType::kBf16:
    case DType::kFp16:
      return store(bytes, static_cast<std::uint16_t>(to_bits(value, format_of(dtype))));
    case DType::kFp8E4M3:
    case DType::kFp8E5M2:
    case DType::kFp8E4M3Fn:
      *bytes = static_cast<std::uint8_t>(to_bits(value, format_of(dtype)));
      return;
    case DType::kFp8E4M3FnX4:
    case DType::kFp8E5M2X4:
      bytes[lane] = static_cast<std::uint8_t>(to_bits(value, format_of(dtype)));
      return;
    case DType::kFp4E2M1X4: {
      const std::uint32_t shift = 4 * (lane % 2);
      const std::uint32_t kept = bytes[lane / 2] & ~(15u << shift);
      bytes[lane / 2] = static_cast<std::uint8_t>(kept | to_bits(value, format_of(dtype)) << shift);
      return;
    }
    case DType::kE8M0: {
      int exponent = 0;
      if (value > 0 && std::isfinite(value)) std::frexp(value, &exponent);
      *bytes = std::isnan(value) ? 255 : static_cast<std::uint8_t>(std::clamp(exponent - 1 + 127, 0, 254));
      return;
    }
    default: {
      const double limit = 9.2e18;
      const double wide = std::isnan(value) ? 0 : std::clamp(std::nearbyint(value), -limit, limit);
      return encode_integer(dtype, static_cast<std::int64_t>(wide), bytes);
    }
  }
}

double rounded(DType dtype, double value) {
  std::uint8_t bytes[4] = {0, 0, 0, 0};
  encode(dtype, value, bytes);
  return decode(dtype, bytes);
}

std::int64_t decode_integer(DType dtype, const std::uint8_t* bytes) {
  switch (dtype) {
    case DType::kInt32:
      return load<std::int32_t>(bytes);
    case DType::kUint32:
      return load<std::uint32_t>(bytes);
    case DType::kInt16:
      return load<std::int16_t>(bytes);
    case DType::kUint16:
      return load<std::uint16_t>(bytes);
    case DType::kInt8:
      return load<std::int8_t>(bytes);
    case DType::kUint8:
      return *bytes;
    default:
      break;
  }
  TRN_CHECK(false, "not an integer type");
}

void encode_integer(DType dtype, std::int64_t value, std::uint8_t* bytes) {
  const auto saturate = [&](auto least, auto most) {
    return std::clamp<std::int64_t>(value, least, static_cast<std::int64_t>(most));
  };
  switch (dtype) {
    case DType::kInt32:
      return store(bytes, static_cast<std::int32_t>(saturate(INT32_MIN, INT32_MAX)));
    case DType::kUint32:
      return store(bytes, static_cast<std::uint32_t>(saturate(0, UINT32_MAX)));
    case DType::kInt16:
      return store(bytes, static_cast<std::int16_t>(saturate(INT16_MIN, INT16_MAX)));
    case DType::kUint16:
      return store(bytes, static_cast<std::uint16_t>(saturate(0, UINT16_MAX)));
    case DType::kInt8:
      return store(bytes, static_cast<std::int8_t>(saturate(INT8_MIN, INT8_MAX)));
    case DType::kUint8:
      return store(bytes, static_cast<std::uint8_t>(saturate(0, UINT8_MAX)));
    default:
      break;
  }
  TRN_CHECK(false, "not an integer type");
}

}  // namespace trn
