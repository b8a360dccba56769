#include "sim/timeline/time_window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

struct TimeUnit {
  const char* name;
  std::uint64_t picoseconds;
};
constexpr std::array<TimeUnit, 5> kUnits{
    {{"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}}};
constexpr long double kMost = 1e18L;  // ps: eleven days
constexpr std::uint64_t kMostRanks = 1'000'000;

Picoseconds parse_time(const std::string& option, const std::string& window, const std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string number = text.substr(0, digits);
  const bool plain = digits > 0 && std::count(number.begin(), number.end(), '.') <= 1 && number != ".";
  for (const TimeUnit& unit : kUnits) {
    if (!plain || text.substr(digits) != unit.name) continue;
    const long double time =
        std::strtold(number.c_str(), nullptr) * static_cast<long double>(unit.picoseconds);
    if (time <= kMost) return Picoseconds(static_cast<std::uint64_t>(std::llroundl(time)));
  }
  throw UsageError(
      option + ' ' + window + ": \"" + text +
      "\": expected a time with its unit (ps, ns, us, ms, s) of up to eleven days, e.g. 0us:200us");
}

std::uint64_t parse_rank(const std::string& option, const std::string& list, const std::string& text) {
  const bool digits =
      !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) throw UsageError(option + ' ' + list + ": \"" + text + "\": expected ranks, e.g. 0,3 or 0-7");
  return std::strtoull(text.c_str(), nullptr, 10);
}

}  // namespace

TimeWindow parse_time_window(const std::string& option, const std::string& text) {
  const std::vector<std::string> ends = split(text, ':');
  if (ends.size() != 2) throw UsageError(option + ' ' + text + ": expected FROM:TO, e.g. 0us:200us");
  TimeWindow window;
  if (!ends[0].empty()) window.from = parse_time(option, text, ends[0]);
  if (!ends[1].empty()) window.to = parse_time(option, text, ends[1]);
  if (window.to <= window.from) throw UsageError(option + ' ' + text + ": ends where it begins, or before");
  return window;
}

std::vector<std::uint64_t> parse_rank_list(const std::string& option, const std::string& text) {
  std::vector<std::uint64_t> ranks;
  for (const std::string& item : split(text, ',')) {
    const std::size_t dash = item.find('-');
    const std::uint64_t first = parse_rank(option, text, item.substr(0, dash));
    const std::uint64_t last =
        dash == std::string::npos ? first : parse_rank(option, text, item.substr(dash + 1));
    if (last < first || last >= kMostRanks)
      throw UsageError(option + ' ' + text + ": \"" + item + "\": expected ranks in rising order, below " +
                       std::to_string(kMostRanks));
    for (std::uint64_t rank = first; rank <= last; ++rank) ranks.push_back(rank);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::string window_time(Picoseconds time) {
  for (std::size_t u = kUnits.size(); u-- > 0;) {
    const std::uint64_t unit = kUnits[u].picoseconds;
    if (time.count() < unit) continue;
    std::string rest = std::to_string(time.count() % unit + unit).substr(1);  // with its leading zeros
    rest.erase(rest.find_last_not_of('0') + 1);
    return std::to_string(time.count() / unit) + (rest.empty() ? "" : '.' + rest) + kUnits[u].name;
  }
  return "0ps";
}

}  // namespace trn
