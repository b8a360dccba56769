#include "base/sizes.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.h"

namespace trn {

std::uint64_t parse_size(const std::string& text) { return parse_size("--sizes", text); }

std::uint64_t parse_size(const std::string& option, const std::string& text) {
  static const std::vector<std::pair<std::string, double>> kUnits{
      {"", 1},     {"B", 1},      {"KB", 1e3},      {"MB", 1e6},
      {"GB", 1e9}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}};
  std::size_t used = 0;
  double number = 0;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  for (const auto& [unit, factor] : kUnits)
    if (used > 0 && text.substr(used) == unit && number * factor >= 1 && number * factor <= 1e15)
      return static_cast<std::uint64_t>(number * factor);
  throw UsageError(option + ": \"" + text + "\": expected a size of 1 B to 1 PB such as 64KiB or 1GiB");
}

std::vector<std::uint64_t> parse_sizes(const std::string& text) {
  const std::size_t first = text.find(':');
  if (first == std::string::npos) return {parse_size(text)};
  const std::size_t second = text.find(':', first + 1);
  const std::uint64_t from = parse_size(text.substr(0, first));
  const std::uint64_t to = parse_size(text.substr(first + 1, second - first - 1));
  double factor = 0;
  if (second != std::string::npos && text.compare(second, 2, ":x") == 0)
    factor = std::strtod(text.c_str() + second + 2, nullptr);
  if (!(factor > 1) || to < from)
    throw UsageError("--sizes " + text + ": expected FROM:TO:xFACTOR with FROM <= TO and FACTOR > 1");
  std::vector<std::uint64_t> sizes;
  for (double size = static_cast<double>(from); size <= static_cast<double>(to) * 1.0000001; size *= factor)
    sizes.push_back(static_cast<std::uint64_t>(size));
  return sizes;
}

double parse_number(const std::string& option, const std::string& text, double least, double most) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(number >= least && number <= most))
    throw UsageError(
        fmt::format("{}: \"{}\": expected a number from {:g} to {:g}", option, text, least, most));
  return number;
}

std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t least,
                          std::uint64_t most) {
  const bool digits =
      !text.empty() && text.find_first_not_of("0123456789") == std::string::npos && text.size() < 19;
  const std::uint64_t number = digits ? std::strtoull(text.c_str(), nullptr, 10) : 0;
  if (!digits || number < least || number > most)
    throw UsageError(option + ": \"" + text + "\": expected a whole number from " + std::to_string(least) +
                     " to " + std::to_string(most));
  return number;
}

}  // namespace trn
