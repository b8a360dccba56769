#include "sim/functional/comparison.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace trn {

TensorCheck compare(const std::string& name, const Matrix& found, const Matrix& expected, double tolerance) {
  TRN_CHECK(found.rows == expected.rows && found.columns == expected.columns,
            "a reference of the wrong shape for " + name);
  TensorCheck check;
  check.tensor = name;
  double signal = 0;
  double noise = 0;
  for (const double value : expected.at) signal += value * value;
  const double rms = std::sqrt(signal / static_cast<double>(expected.at.size()));
  for (std::uint64_t r = 0; r < found.rows; ++r)
    for (std::uint64_t c = 0; c < found.columns; ++c) {
      const double error = std::fabs(found(r, c) - expected(r, c));
      const double relative = error / (std::fabs(expected(r, c)) + rms);
      noise += error * error;
      if (error == 0) continue;
      check.largest_error = std::max(check.largest_error, error);
      check.relative_error = std::max(check.relative_error, relative);
      if (relative <= tolerance) continue;  // false for NaN
      if (check.wrong++ == 0) check.first_row = r, check.first_column = c;
    }
  check.snr_db = signal == 0 ? 0 : noise == 0 ? 999 : 10 * std::log10(signal / noise);
  return check;
}

double allowed_error(double tolerance, DType dtype, Precision precision) {
  constexpr double kFp32Tolerance = 1e-3;
  return precision == Precision::kFp32 ? std::min(tolerance, kFp32Tolerance)
                                       : tolerance + unit_roundoff(dtype);
}

}  // namespace trn
