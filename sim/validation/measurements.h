// Measured figures as they stand in validation/*.csv.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trn {

struct MeasuredRow {
  std::string id, generation, scale, workload, metric, unit, use;  // use: calibrate or sanity
  double value = 0;
  std::optional<double> most;  // the figure is a range, from `value` to this
};

// "3 vs 4" makes two rows, id-first and id-second; of other lists the first figure stands. ConfigError with
// its line if the file is broken.
std::vector<MeasuredRow> read_measurements(const std::string& path);

}  // namespace trn
