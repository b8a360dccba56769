#include "sim/study/condition.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/sizes.h"

namespace trn {

bool Condition::holds(const Answer& answer) const {
  const double value = answer.metric(metric);
  return (or_equal && value == limit) || (less ? value < limit : value > limit);
}

Condition parse_condition(const std::string& option, const std::string& text) {
  const std::size_t at = text.find_first_of("<>");
  if (at == std::string::npos || at == 0)
    throw UsageError(option + " \"" + text +
                     "\": expected METRIC<NUMBER, such as exposed_comm<1% or tokens_per_s>=14000");
  Condition c{text, text.substr(0, at), text[at] == '<', false, 0};
  metric_info(c.metric);
  std::size_t number = at + 1;
  if (number < text.size() && text[number] == '=') {
    c.or_equal = true;
    ++number;
  }
  std::string rest = text.substr(number);
  const bool percent = !rest.empty() && rest.back() == '%';
  if (percent) rest.pop_back();
  c.limit = parse_number(option, rest, -1e18, 1e18) / (percent ? 100 : 1);
  return c;
}

void check_conditions(const std::vector<Condition>& conditions, const Answer& answer) {
  for (const Condition& condition : conditions)
    if (!condition.holds(answer))
      throw AssertionError(
          fmt::format("--assert {}: it is {:g}", condition.text, answer.metric(condition.metric)));
}

}  // namespace trn
