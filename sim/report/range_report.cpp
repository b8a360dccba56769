#include "sim/report/range_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace trn {

std::string range_lines(const std::vector<ConfigRange>& ranges) {
  std::string out;
  for (const ConfigRange& range : ranges)
    out += fmt::format("  {}: {} = {}, {} to {}; {}{}\n", range.label, range.key, range.value, range.low,
                       range.high, range.why, range.in_interval ? "" : " (not in the interval)");
  return out;
}

nlohmann::ordered_json ranges_json(const std::vector<ConfigRange>& ranges) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const ConfigRange& range : ranges)
    out.push_back({{"key", range.key},
                   {"value", nlohmann::json::parse(range.value)},
                   {"low", nlohmann::json::parse(range.low)},
                   {"high", nlohmann::json::parse(range.high)},
                   {"better", range.high_is_better ? "high" : "low"},
                   {"in_interval", range.in_interval},
                   {"label", range.label},
                   {"why", range.why},
                   {"source", range.source},
                   {"confidence", range.confidence}});
  return out;
}

}  // namespace trn
