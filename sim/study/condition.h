// "exposed_comm<1%", "tokens_per_s>=14000": what --assert and --until take.
#pragma once

#include <string>

#include "sim/study/answer.h"

namespace trn {

struct Condition {
  std::string text;
  std::string metric;
  bool less;  // < or <=
  bool or_equal;
  double limit;

  bool holds(const Answer& answer) const;
};

// UsageError naming `option`: an unknown metric, no comparison, no number. A % is a hundredth.
Condition parse_condition(const std::string& option, const std::string& text);

// AssertionError (exit code 7) with the value found, unless all hold.
void check_conditions(const std::vector<Condition>& conditions, const Answer& answer);

}  // namespace trn
