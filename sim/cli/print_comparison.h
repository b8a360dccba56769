// A comparison for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/study/comparison.h"

namespace trn {

std::string comparison_text(const Comparison& comparison);
nlohmann::ordered_json comparison_json(const Comparison& comparison, const std::string& command);

}  // namespace trn
