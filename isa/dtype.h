// Element types a NeuronCore computes with, spelled as in the Neuron documentation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trn {

enum class DType : std::uint8_t {
  kFp32,
  kTf32,
  kBf16,
  kFp16,
  kFp8E4M3,
  kFp8E5M2,
  kInt32,
  kUint32,
  kInt16,
  kUint16,
  kInt8,
  kUint8,
  kFp8E4M3Fn,
  kE8M0,
  kFp8E4M3FnX4,
  kFp8E5M2X4,
  kFp4E2M1X4
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  std::uint32_t bytes;
  bool floating;
  std::uint32_t values = 1;  // in one element: 4 in the packed types of MX
};

inline constexpr std::array kDTypes{
    DTypeInfo{DType::kFp32, "fp32", 4, true},
    DTypeInfo{DType::kTf32, "tf32", 4, true},
    DTypeInfo{DType::kBf16, "bf16", 2, true},
    DTypeInfo{DType::kFp16, "fp16", 2, true},
    DTypeInfo{DType::kFp8E4M3, "fp8_e4m3", 1, true},
    DTypeInfo{DType::kFp8E5M2, "fp8_e5m2", 1, true},
    DTypeInfo{DType::kInt32, "int32", 4, false},
    DTypeInfo{DType::kUint32, "uint32", 4, false},
    DTypeInfo{DType::kInt16, "int16", 2, false},
    DTypeInfo{DType::kUint16, "uint16", 2, false},
    DTypeInfo{DType::kInt8, "int8", 1, false},
    DTypeInfo{DType::kUint8, "uint8", 1, false},
    DTypeInfo{DType::kFp8E4M3Fn, "fp8_e4m3fn", 1, true},
    DTypeInfo{DType::kE8M0, "e8m0", 1, true},
    DTypeInfo{DType::kFp8E4M3FnX4, "fp8_e4m3fn_x4", 4, true, 4},
    DTypeInfo{DType::kFp8E5M2X4, "fp8_e5m2_x4", 4, true, 4},
    DTypeInfo{DType::kFp4E2M1X4, "fp4_e2m1_x4", 2, true, 4},
};

constexpr const DTypeInfo& info(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)]; }
constexpr std::uint32_t size_of(DType dtype) { return info(dtype).bytes; }
constexpr bool is_fp8(DType dtype) {
  return dtype == DType::kFp8E4M3 || dtype == DType::kFp8E5M2 || dtype == DType::kFp8E4M3Fn;
}
constexpr bool is_mx(DType dtype) { return info(dtype).values == 4; }
constexpr bool is_16bit_float(DType dtype) { return dtype == DType::kBf16 || dtype == DType::kFp16; }

// Half a unit in the last place, relative to the number: what rounding to the type may cost.
constexpr double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::kBf16:
      return 1.0 / 256;
    case DType::kFp16:
    case DType::kTf32:
      return 1.0 / 2048;
    case DType::kFp8E4M3:
    case DType::kFp8E4M3Fn:
    case DType::kFp8E4M3FnX4:
      return 1.0 / 16;
    case DType::kFp8E5M2:
    case DType::kFp8E5M2X4:
      return 1.0 / 8;
    case DType::kFp4E2M1X4:
      return 1.0 / 4;
    default:
      return 0;
  }
}

std::optional<DType> find_dtype(std::string_view name);
std::vector<std::string> dtype_names();
// As find_dtype; a ProgramError that starts with `where` and lists the known names otherwise.
DType dtype_named(std::string_view name, const std::string& where);

}  // namespace trn
