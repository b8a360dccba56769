// The unannounced figures an answer rests on, as lines and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/config/config_range.h"

namespace trn {

// A line each: key, value taken, low to high, why. Empty without ranges.
std::string range_lines(const std::vector<ConfigRange>& ranges);

nlohmann::ordered_json ranges_json(const std::vector<ConfigRange>& ranges);

}  // namespace trn
