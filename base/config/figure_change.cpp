#include "base/config/figure_change.h"

#include <cmath>

#include "base/config/figure_tree.h"

namespace trn {
namespace {

using nlohmann::json;

// Parses the leading number of `text`; `rest` gets what follows it.
bool parse_number(const std::string& text, double& number, std::string& rest) {
  std::size_t used = 0;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    return false;
  }
  rest = text.substr(used);
  return std::isfinite(number);
}

ChangedValue scaled(const json& value, double factor) {
  if (!value.is_number()) return {{}, "this key is not a number, give an absolute value"};
  const double result = value.get<double>() * factor;
  if (!(result >= 0) || result > 9e18) return {{}, "the result is negative or too large"};
  if (value.is_number_float()) return {result, ""};
  return {static_cast<std::uint64_t>(std::llround(result)), ""};
}

ChangedValue all_scaled(const json& old_value, double factor) {
  if (!old_value.is_array()) return scaled(old_value, factor);
  ChangedValue all{json::array(), ""};
  for (const json& item : old_value) {
    ChangedValue one = scaled(item, factor);
    if (!one.problem.empty()) return one;
    all.value.push_back(std::move(one.value));
  }
  return all;
}

}  // namespace

ChangedValue changed_value(const json& old_value, const json& change) {
  if (const auto factor = change.find("factor"); factor != change.end()) {
    if (!factor->is_number()) return {{}, "expected a factor, found " + value_text(*factor)};
    return all_scaled(old_value, factor->get<double>());
  }
  const json& value = change.at("value");
  if (value.is_number() && value.get<double>() < 0) return {{}, "negative values are not allowed"};
  const bool same_kind = (value.is_number() && old_value.is_number()) || value.type() == old_value.type();
  if (!same_kind)
    return {{},
            "expected a value like " + value_text(old_value) + ", a factor like 4x or a change like +10%"};
  if (old_value.is_number_unsigned() && value.is_number_float())
    return {{}, "expected an integer, found " + value_text(value)};
  return {value, ""};
}

json change_of_text(const std::string& text, const json& old_value) {
  if (old_value.is_string()) return json::object({{"value", text}});
  double number = 0;
  std::string rest;
  if (parse_number(text, number, rest)) {
    if (rest == "x") return json::object({{"factor", number}});
    if (rest == "%" && (text[0] == '+' || text[0] == '-'))
      return json::object({{"factor", 1 + number / 100}});
  }
  return json::object({{"value", json::parse(text, nullptr, false)}});
}

}  // namespace trn
