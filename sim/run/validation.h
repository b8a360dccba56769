// Measured rows against what the simulator says: validation/README.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/machine_config.h"

namespace trn {

struct MeasuredRow {
  std::string id, generation, scale, workload, metric, unit, use;  // use: calibrate or sanity
  double value = 0;
};

// The rows of a CSV file such as validation/core.csv. ConfigError with its line if it is broken.
std::vector<MeasuredRow> read_measurements(const std::string& path);

struct ValidationRow {
  MeasuredRow measured;
  std::string run;     // the kernel and its arguments
  std::string group;   // bytes, PE, DMA, vector/scalar
  std::string why;     // not simulated, because
  bool upper = false;  // the measurement is a ceiling
  std::optional<double> predicted;

  // ln(predicted / measured).
  double log_error() const;
};

// All rows of validation/core.csv whose id contains `filter`, the runs they share made once. ConfigError on a
// broken file or a row that core_map.json does not know.
std::vector<ValidationRow> validate(const std::string& folder, const std::string& filter);

// Mean of |ln|, mean of ln and number, of the rows of a group and use that are simulated and no ceilings.
struct GroupScore {
  std::string group, use;
  std::size_t rows = 0;
  double geometric_mean = 0;  // of the ratio, >= 1, whichever way it is off
  double bias = 0;            // of predicted / measured: 1 on average right
};
std::vector<GroupScore> scores(const std::vector<ValidationRow>& rows);

}  // namespace trn
