#include <gtest/gtest.h>

#include "base/config/config_document.h"
#include "base/error.h"

namespace trn {
namespace {

template <class Error, class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

ConfigDocument one_clock(const std::string& value) {
  return ConfigDocument::parse(
      R"({"t": {"clock_mhz": {"value": )" + value + R"(, "source": "s", "confidence": "official"}}})",
      "f.json");
}

TEST(ConfigNode, ErrorNamesThePathTheValueAndWhatIsAllowed) {
  const auto read = [](const std::string& value) {
    return message<ConfigError>([&] {
      const ConfigDocument document = one_clock(value);
      document.root().child("t").positive("clock_mhz");
    });
  };
  EXPECT_EQ(read("\"fast\""), "f.json.t.clock_mhz: expected an integer > 0, found \"fast\"");
  EXPECT_EQ(read("-3"), "f.json.t.clock_mhz: expected an integer > 0, found -3");
  EXPECT_EQ(read("0"), "f.json.t.clock_mhz: expected an integer > 0, found 0");
  EXPECT_EQ(read("2400"), "accepted");
}

TEST(ConfigNode, UnknownAndMissingKeysAreNamed) {
  const ConfigDocument document = one_clock("1");
  EXPECT_EQ(message<ConfigError>([&] {
              ConfigNode node = document.root().child("t");
              node.has("x");
              node.reject_unknown_keys();
            }),
            "f.json.t.clock_mhz: unknown key; known: ");
  EXPECT_EQ(message<ConfigError>([&] { document.root().child("t").positive("rows"); }),
            "f.json.t.rows: missing key; found: clock_mhz");
}

TEST(ConfigNode, AFigureWithoutProvenanceIsRefused) {
  const ConfigDocument document =
      ConfigDocument::parse(R"({"t": {"a": 5, "b": {"value": 5, "confidence": "official"}}})", "f");
  EXPECT_NE(message<ConfigError>([&] { document.root().child("t").positive("a"); }), "accepted");
  EXPECT_EQ(message<ConfigError>([&] { document.root().child("t").positive("b"); }),
            "f.t.b.source: missing key; every figure names its source");
}

TEST(ConfigDocument, MalformedTextAndRepeatedKeysAreErrors) {
  EXPECT_EQ(message<ConfigError>([] { ConfigDocument::parse("{\"a\": ", "f"); }).substr(0, 35),
            "f: not valid JSON at line 1, column");
  EXPECT_EQ(message<ConfigError>([] { ConfigDocument::parse(R"({"a": 1, "a": 2})", "f"); }),
            "f: key \"a\" appears twice in one object");
}

std::uint64_t after_set(const std::string& assignment) {
  ConfigDocument document = one_clock("2400");
  document.set(assignment);
  return document.root().child("t").positive("clock_mhz");
}

// 2400 x 2, 2400 x 0.5, 2400 + 10 %, 2400 - 10 %
TEST(ConfigOverride, TakesValuesFactorsAndChanges) {
  EXPECT_EQ(after_set("t.clock_mhz=1000"), 1000u);
  EXPECT_EQ(after_set("t.clock_mhz=2x"), 4800u);
  EXPECT_EQ(after_set("t.clock_mhz=0.5x"), 1200u);
  EXPECT_EQ(after_set("t.clock_mhz=+10%"), 2640u);
  EXPECT_EQ(after_set("t.clock_mhz=-10%"), 2160u);
}

TEST(ConfigOverride, IsRecordedInTheProvenance) {
  ConfigDocument document = one_clock("2400");
  document.set("t.clock_mhz=2x");
  const ConfigFigure figure = document.figures().at(0);
  EXPECT_EQ(figure.confidence, "what-if");
  EXPECT_EQ(figure.source, "--set t.clock_mhz=2x (was 2400: official, s)");
}

TEST(ConfigOverride, NonsenseIsAUsageError) {
  for (const char* bad :
       {"t.clock_mhz", "t.clock_mhz=", "=3", "t.clock_mhz=fast", "t.clock_mhz=-5", "t.clock_mhz=1.5",
        "t.clock_mhz=-2x", "t.clock_mhz=[1]", "t=3", "t.clock_mhz=1e99x"})
    EXPECT_NE(message<UsageError>([&] { after_set(bad); }), "accepted") << bad;
  EXPECT_EQ(message<UsageError>([] { after_set("t.clok_mhz=3"); }),
            "--set t.clok_mhz=3: unknown key t.clok_mhz (did you mean \"t.clock_mhz\"?)");
}

}  // namespace
}  // namespace trn
