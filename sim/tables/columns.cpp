#include "sim/tables/columns.h"

#include <algorithm>
#include <cctype>

namespace trn {

std::string engine_name(Engine engine) {
  std::string name(kEngines[index_of(engine)].name);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

// Neuron Explorer's profile schema, field adjusted_flops.
double bf16_equivalents(DType dtype, std::uint32_t core_version) {
  switch (dtype) {
    case DType::kFp32:
      return 4;
    case DType::kFp8E4M3:
    case DType::kFp8E5M2:
    case DType::kFp8E4M3Fn:
      return core_version <= 2 ? 1 : 0.5;
    case DType::kUint8:
      return 0.5;
    case DType::kFp8E4M3FnX4:
    case DType::kFp8E5M2X4:
    case DType::kFp4E2M1X4:
      return 0.25;
    default:
      return 1;
  }
}

}  // namespace trn
