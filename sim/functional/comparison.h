// Results against a reference.
#pragma once

#include <string>

#include "isa/semantics/memory.h"
#include "kernels/registry.h"

namespace trn {

struct TensorCheck {
  std::string tensor;
  double largest_error = 0;                       // |error|
  double relative_error = 0;                      // largest |error| / (|value| + rms)
  double snr_db = 0;                              // signal to error power; 0 where there is no signal
  std::uint64_t wrong = 0;                        // elements beyond the tolerance, NaN where a number belongs
  std::uint64_t first_row = 0, first_column = 0;  // of those
};

// `tolerance`: of the relative error.
TensorCheck compare(const std::string& name, const Matrix& found, const Matrix& expected, double tolerance);

// The tolerance for results of this type: besides its own rounding, or, where nothing is rounded to narrow
// types, no more than what long sums in fp32 leave.
double allowed_error(double tolerance, DType dtype, Precision precision);

}  // namespace trn
