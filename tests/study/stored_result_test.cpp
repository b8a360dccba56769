#include "sim/study/stored_result.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "base/error.h"
#include "base/text.h"
#include "sim/study/comparison.h"

namespace trn {
namespace {

Question one_mib(const std::string& machine, const std::vector<std::string>& sets = {}) {
  CollectiveQuestion q;
  q.machine.machine = machine;
  q.machine.sets = sets;
  q.op = "all_reduce";
  q.sizes = "1MiB";
  return q;
}

// As trnsim collective writes it, with what load_result looks at.
std::string file_with(const nlohmann::ordered_json& json) {
  std::string path = testing::TempDir() + "stored_result.json";
  std::ofstream(path) << json.dump(2);
  return path;
}

nlohmann::ordered_json stored(const Question& question) {
  const Machine machine = machine_of(question).resolve();
  nlohmann::ordered_json json{{"kind", "collective"}, {"schema", 1}};
  add_stored(json, question, answer(question, machine));
  json["config"] = machine.document.json();
  return json;
}

// Stored, read and compared with itself asked anew: the same answer to the picosecond, the same figures.
TEST(StoredResult, IsWhatItsQuestionIsAnsweredWith) {
  const Question question = one_mib("trn2:instance", {"shapes.instance.link_mb_per_s=2x"});
  const std::string path = file_with(stored(question));
  const auto result = std::make_shared<const StoredResult>(load_result(path));
  const Comparison c = compare({"file", result->question, result}, {"now", question}, 2);
  EXPECT_EQ(c.gain_ps(), 0);
  EXPECT_TRUE(c.inputs.empty());
  EXPECT_TRUE(c.options.empty());
  EXPECT_TRUE(c.parts.empty());
  EXPECT_NE(c.why_no_parts.find("stored"), std::string::npos);
  EXPECT_TRUE(c.notes.empty());
}

TEST(StoredResult, OfAnotherBuildIsSaid) {
  nlohmann::ordered_json json = stored(one_mib("trn2:instance"));
  json["build"] = "another";
  const auto result = std::make_shared<const StoredResult>(load_result(file_with(json)));
  const Comparison c = compare({"file", result->question, result}, {"now", one_mib("trn2:instance")}, 2);
  ASSERT_EQ(c.notes.size(), 1u);
  EXPECT_NE(c.notes[0].find("different builds"), std::string::npos);
}

// What a question file has no key for would be lost, and another question asked of the next machine.
TEST(StoredResult, IsOfQuestionsThatAreWholeOnly) {
  CollectiveQuestion q = std::get<CollectiveQuestion>(one_mib("trn2:instance"));
  EXPECT_TRUE(has_json(q));
  q.groups = {"0-7"};
  EXPECT_FALSE(has_json(q));
  q.groups.clear();
  q.straggler_us = 5;
  EXPECT_FALSE(has_json(q));
}

TEST(StoredResult, WrongTypesAreRefused) {
  const nlohmann::ordered_json whole = stored(one_mib("trn2:instance"));
  for (const char* key : {"schema", "question", "answer", "build", "config"})
    for (const char* value : {"null", "\"x\"", "[]", "{}", "7"}) {
      if (std::string(key) == "build" && std::string(value) == "\"x\"") continue;
      nlohmann::ordered_json json = whole;
      json[key] = nlohmann::ordered_json::parse(value);
      EXPECT_THROW(load_result(file_with(json)), UserError) << key << ' ' << value;
    }
}

// Its figures are the file's, not today's: the doubled links are the one input that differs.
TEST(StoredResult, KeepsItsFigures) {
  const std::string path = file_with(stored(one_mib("trn2:instance", {"shapes.instance.link_mb_per_s=2x"})));
  const auto result = std::make_shared<const StoredResult>(load_result(path));
  const Comparison c = compare({"file", result->question, result}, {"plain", one_mib("trn2:instance")}, 2);
  ASSERT_EQ(c.inputs.size(), 1u);
  EXPECT_EQ(c.inputs[0].key, "shapes.<shape>.link_mb_per_s");
  EXPECT_LT(c.gain_ps(), 0);
}

TEST(StoredResult, AFileOfAnythingElseIsRefused) {
  nlohmann::ordered_json json = stored(one_mib("trn2:instance"));
  for (const char* key : {"question", "answer", "build", "config"}) {
    nlohmann::ordered_json without = json;
    without.erase(key);
    EXPECT_THROW(load_result(file_with(without)), ConfigError) << key;
  }
  json["schema"] = 2;
  EXPECT_THROW(load_result(file_with(json)), ConfigError);
  EXPECT_FALSE(is_result("trn2:instance"));
  EXPECT_FALSE(is_result("configs/trn2.json"));
}

// Random damage, and cuts: an error of the user's or a result, never anything else.
TEST(StoredResult, DamagedTextIsRefusedOrRead) {
  const std::string path = file_with(stored(one_mib("trn2:instance")));
  const std::string text = read_text_file(path);
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) {
    std::string damaged = text;
    if (i % 3 == 0) damaged.resize(random() % damaged.size());
    for (int k = 0; k < i % 3 && !damaged.empty(); ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    std::ofstream(path, std::ios::trunc) << damaged;
    try {
      load_result(path);
    } catch (const UserError&) {
    }
  }
}

}  // namespace
}  // namespace trn
