// The metrics that studies name: how each is written.
#pragma once

#include <string>
#include <vector>

#include "sim/report/page/section.h"

namespace trn {

struct MetricStyle {
  std::string key;  // in the file
  std::string title;
  std::string unit;
  double scale;  // of the file's value
  int decimals;
  bool more_is_better;
};

// A key that is not known is shown as it is.
MetricStyle metric_named(const std::string& key);
// The same in ms where it is in microseconds.
MetricStyle in_milliseconds(MetricStyle metric);
Cell metric_cell(const MetricStyle& metric, double value);

}  // namespace trn
