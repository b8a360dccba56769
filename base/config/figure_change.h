// What may be done to a figure's value: {"value": v} replaces it, {"factor": f} multiplies it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace trn {

struct ChangedValue {
  nlohmann::json value;
  std::string problem;  // why it cannot be; empty if it can
};

// The value after `change`; of an array, every item. Integers stay integers, to the nearest one.
ChangedValue changed_value(const nlohmann::json& old_value, const nlohmann::json& change);

// The change that a text means: "4x" and "+10%" are factors, anything else is a value of the old one's kind.
// A value that is no JSON is left to changed_value to refuse.
nlohmann::json change_of_text(const std::string& text, const nlohmann::json& old_value);

}  // namespace trn
