#include "sim/run/economy.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "sim/report/economy_report.h"

namespace trn {
namespace {

// 16 chips at 2.25 $ an hour cost 36 $ an hour, 0.01 $ a second. At 10,000 tokens/s a million tokens take
// 100 s: 1 $. At 500 W the chips draw 8,000 W: 0.8 J a token.
TEST(Economy, DollarsAndJoulesByHand) {
  EXPECT_DOUBLE_EQ(usd_per_million_tokens(2.25, 16, 10'000), 1.0);
  EXPECT_DOUBLE_EQ(joules_per_token(500, 16, 10'000), 0.8);
}

// 64 chips make 50,000 tokens/s: a million take 20 s of 64 chips, 1,280 chip-seconds or 0.35556 chip-hours.
// To cost 1 $ as well, an hour may cost 1 / 0.35556 = 2.8125 $. And back: that price gives 1 $.
TEST(Economy, BreakEvenIsThePriceOfEqualTokens) {
  EXPECT_NEAR(break_even_usd_per_hour(1.0, 64, 50'000), 2.8125, 1e-12);
  EXPECT_NEAR(usd_per_million_tokens(2.8125, 64, 50'000), 1.0, 1e-12);
}

TEST(Economy, WhatIsNotPublishedIsAbsent) {
  ChipConfig chip{};
  EXPECT_FALSE(economy(chip, 16, 1e4).usd_per_million_tokens);
  EXPECT_FALSE(economy(chip, 16, 1e4).joules_per_token);
  chip.usd_per_hour = 2.25;
  EXPECT_DOUBLE_EQ(*economy(chip, 16, 1e4).usd_per_million_tokens, 1.0);

  // Trn3 has a power but no price, trn4-whatif neither; Trn2 both.
  const auto lines = [](const char* name) { return economy_lines({16, 1e4}, load_machine_document(name)); };
  const auto json = [](const char* name) { return economy_json({16, 1e4}, load_machine_document(name)); };
  EXPECT_EQ(lines("trn4-whatif").find("J/token if"), std::string::npos);
  EXPECT_NE(lines("trn4-whatif").find("J/token n/a"), std::string::npos);
  EXPECT_NE(lines("trn3").find("$/Mtoken n/a"), std::string::npos);
  EXPECT_NE(lines("trn3").find("0.4444 for each $"), std::string::npos);  // 1 / 2.25
  EXPECT_FALSE(json("trn3").contains("usd_per_million_tokens"));
  EXPECT_DOUBLE_EQ(json("trn3")["joules_per_token"].get<double>(), 1.6);  // 1,000 W x 16 / 10,000
  EXPECT_NEAR(json("trn2")["usd_per_million_tokens"].get<double>(), 2.235 / 2.25, 1e-12);
  EXPECT_NE(json("trn2")["usd_per_chip_hour"]["source"].get<std::string>().find("2026-08-01"),
            std::string::npos);
}

TEST(Economy, APriceOfNothingIsRefused) {
  ConfigDocument document = load_machine_document("trn2");
  document.set("chip.usd_per_hour=0");
  EXPECT_THROW(parse_figures(document, "chip"), ConfigError);
}

}  // namespace
}  // namespace trn
