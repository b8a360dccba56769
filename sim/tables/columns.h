// Values as the vendor's tables have them, and columns that several tables share.
#pragma once

#include "base/units.h"
#include "isa/dtype.h"
#include "isa/program.h"
#include "sim/tables/table.h"

namespace trn {

inline TableValue whole(std::uint64_t value) { return static_cast<std::int64_t>(value); }
inline TableValue text(std::string_view value) { return std::string(value); }
inline const TableValue kUnknown{};

// Their timestamps are whole nanoseconds, rounded down; a duration is the difference of two.
inline TableValue timestamp(Picoseconds time) { return whole(time.count() / 1000); }
inline TableValue duration(Picoseconds begin, Picoseconds end) {
  return whole(end.count() / 1000 - begin.count() / 1000);
}
inline double per_second(double amount, Picoseconds time) {
  return time.count() == 0 ? 0 : amount / to_seconds(time);
}

// tensor, vector, scalar, gpsimd, sync
std::string engine_name(Engine engine);

// What a FLOP of a matmul of this dtype counts where all are compared with BF16.
double bf16_equivalents(DType dtype, std::uint32_t core_version);

}  // namespace trn
