#include "sim/study/condition.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace trn {
namespace {

Answer with_exposed(double value) {
  return {Picoseconds(1), {{"exposed_comm", value}}, {{"all", Picoseconds(1)}}, ""};
}

// 1 % is 0.01; "<" leaves the limit itself out, "<=" takes it in.
TEST(Condition, PercentAndBothSidesOfTheLimit) {
  const Condition below = parse_condition("--until", "exposed_comm<1%");
  EXPECT_TRUE(below.holds(with_exposed(0.0099)));
  EXPECT_FALSE(below.holds(with_exposed(0.01)));
  const Condition up_to = parse_condition("--until", "exposed_comm<=1%");
  EXPECT_TRUE(up_to.holds(with_exposed(0.01)));
  EXPECT_FALSE(up_to.holds(with_exposed(0.0101)));
  EXPECT_TRUE(parse_condition("--assert", "exposed_comm>=0.01").holds(with_exposed(0.01)));
  EXPECT_FALSE(parse_condition("--assert", "exposed_comm>0.01").holds(with_exposed(0.01)));
}

TEST(Condition, NonsenseNamesTheWayOut) {
  for (const char* text : {"", "exposed_comm", "<1%", "exposed_comm<", "exposed_comm<fast", "exposed_com<1%",
                           "exposed_comm<1%%", "exposed_comm=<1"})
    EXPECT_THROW(parse_condition("--until", text), UsageError) << text;
  try {
    parse_condition("--until", "exposed_com<1%");
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "metric \"exposed_com\": unknown (did you mean \"exposed_comm\"?)");
  }
}

TEST(Condition, AssertSaysWhatWasFound) {
  try {
    check_conditions({parse_condition("--assert", "exposed_comm<1%")}, with_exposed(0.25));
    FAIL() << "25 % passed as below 1 %";
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::kAssertion);
    EXPECT_STREQ(error.what(), "--assert exposed_comm<1%: it is 0.25");
  }
}

}  // namespace
}  // namespace trn
