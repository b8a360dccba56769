// Measured rows against what the simulator says: validation/README.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/validation/measurements.h"

namespace trn {

struct ValidationRow {
  MeasuredRow measured;
  std::string run;     // the kernel, or the collective, and its arguments
  std::string group;   // what bounds it
  std::string why;     // not simulated, because
  bool upper = false;  // the measurement is a ceiling
  std::optional<double> predicted;

  // ln(predicted / measured); 0 within a measured range, to its nearer end outside.
  double log_error() const;
};

enum class ValidationScale : std::uint8_t { kCore, kCollective };

// All rows of the scale's file whose id contains `filter`, the runs they share made once. ConfigError on a
// broken file or a row that the map does not know.
std::vector<ValidationRow> validate(const std::string& folder, ValidationScale scale,
                                    const std::string& filter);

// Of the rows of a group and use that are simulated and no ceilings.
struct GroupScore {
  std::string group, use;
  std::size_t rows = 0;
  double geometric_mean = 0;  // of the ratio, >= 1, whichever way it is off
  double bias = 0;            // of predicted / measured: 1 on average right
};
std::vector<GroupScore> scores(const std::vector<ValidationRow>& rows);

}  // namespace trn
