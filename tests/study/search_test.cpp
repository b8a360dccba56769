#include "sim/study/search.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/tiny_model.h"

namespace trn {
namespace {

// Some twenty layouts, each a fraction of a second.
class SearchTest : public testing::Test {
 protected:
  TrainingQuestion question_ = tiny_training("trn2");
};

// Pruning must not change the winner: the same as simulating everything.
TEST_F(SearchTest, PruningKeepsTheBest) {
  const LayoutSearch all = search_layouts(question_, 2, true);
  const LayoutSearch found = search_layouts(question_, 2);
  EXPECT_TRUE(all.pruned.empty());
  EXPECT_EQ(found.rows.size() + found.pruned.size(), all.rows.size());
  EXPECT_EQ(layout_text(found.rows.front().question), layout_text(all.rows.front().question));
  EXPECT_EQ(found.rows.front().answer.time, all.rows.front().answer.time);
}

TEST_F(SearchTest, NothingBeatsItsBoundAndRowsAreRanked) {
  const LayoutSearch all = search_layouts(question_, 2, true);
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    const LayoutRow& row = all.rows[i];
    const MachineConfig machine = row.question.machine.load();
    const TrainingSetting s = training_setting(row.question, machine);
    EXPECT_GE(row.answer.time, least_step_time(s.model, s.plan, machine)) << layout_text(row.question);
    EXPECT_EQ(s.plan.tokens_per_step(), 8u * 512);
    if (i > 0) {
      EXPECT_GE(row.answer.time, all.rows[i - 1].answer.time);
    }
  }
}

// Gemms that multiply twice as fast lower the bound, by less than half: attention and the head stay in bf16.
TEST_F(SearchTest, TheBoundIsAtThePrecisionsRate) {
  const MachineConfig machine = question_.machine.load();
  question_.layout = "tp=4,fsdp=1";
  const TrainingSetting bf16 = training_setting(question_, machine);
  question_.gemms = "fp8";
  const TrainingSetting fp8 = training_setting(question_, machine);
  const Picoseconds slow = least_step_time(bf16.model, bf16.plan, machine);
  const Picoseconds fast = least_step_time(fp8.model, fp8.plan, machine);
  EXPECT_LT(fast, slow);
  EXPECT_GT(fast + fast, slow);
}

// tp=8 on LNC=1 has 8 ranks but 4 KV heads; the reason says so.
TEST_F(SearchTest, RefusedLayoutsHaveReasons) {
  const LayoutSearch found = search_layouts(question_, 2);
  ASSERT_FALSE(found.refused.empty());
  bool heads = false;
  for (const RefusedLayout& refused : found.refused)
    heads = heads || refused.reason.find("tp=8 does not divide 4") != std::string::npos;
  EXPECT_TRUE(heads);
}

TEST_F(SearchTest, AModelThatFitsNowhereIsAnError) {
  question_.model = "Llama-3.1-70B";
  question_.machine.machine = "trn2:chip";
  EXPECT_THROW(search_layouts(question_, 2), ConfigError);
}

}  // namespace
}  // namespace trn
