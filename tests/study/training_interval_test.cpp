#include "sim/study/training_interval.h"

#include <gtest/gtest.h>

#include "sim/study/answer.h"
#include "tests/support/tiny_model.h"

namespace trn {
namespace {

TrainingQuestion question_on(const std::string& machine) {
  TrainingQuestion question = tiny_training(machine);
  question.layout = "tp=4";
  return question;
}

// All figures at their worse ends cannot make a step faster than as they are, nor the better ends slower.
TEST(TrainingInterval, LiesAroundTheAnswer) {
  const TrainingQuestion question = question_on("trn4-whatif:chip");
  const Machine machine = question.machine.resolve();
  const double tokens = answer(question, machine).metric("tokens_per_s");
  const std::optional<TokensInterval> interval = training_interval(question, machine);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->problem, "");
  EXPECT_LE(interval->pessimistic, tokens);
  EXPECT_GE(interval->optimistic, tokens);
  EXPECT_LT(interval->pessimistic, interval->optimistic);
}

// Every figure of it is published, measured or assumed once: there is nothing to range over.
TEST(TrainingInterval, IsNotGivenWhereNothingIsUnannounced) {
  const TrainingQuestion question = question_on("trn2:chip");
  EXPECT_FALSE(training_interval(question, question.machine.resolve()));
}

}  // namespace
}  // namespace trn
