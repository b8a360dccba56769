#include "sim/report/page/section.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace trn {

Cell text_cell(const std::string& text) { return {text, {}}; }

Cell number_cell(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t at = point; at > 3;) text.insert(at -= 3, ",");
  const bool zero = text.find_first_not_of("0.,") == std::string::npos;
  return {(value < 0 && !zero ? "\u2212" : "") + text, value};
}

Cell count_cell(std::uint64_t value) { return {with_commas(value), static_cast<double>(value)}; }

Cell percent_cell(double share, int decimals) { return number_cell(100 * share, decimals); }

Cell value_cell(const nlohmann::ordered_json& value) {
  if (value.is_string()) return text_cell(value.get<std::string>());
  if (value.is_number_unsigned()) return text_cell(with_commas(value.get<std::uint64_t>()));
  if (!value.is_array()) return text_cell(value.dump());
  std::vector<std::string> items;
  for (const auto& item : value) items.push_back(value_cell(item).text);
  return text_cell(join(items, "; "));
}

Cell no_cell() { return {"\u2013", {}}; }

}  // namespace trn
