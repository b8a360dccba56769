// Which files make a report, and how broken ones are told.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "sim/report/page/page.h"

namespace trn {
namespace {

std::string message(const std::string& text) {
  try {
    report_page({parse_report_input(text, "f.json")});
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.code(), ExitCode::kConfig);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "more than a line";
    return error.what();
  }
  return "accepted";
}

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("trnsim_report_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name = "") const { return (folder_ / name).string(); }

  std::string load_error(const std::string& from) const {
    try {
      load_report_inputs(from);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  }

 private:
  std::filesystem::path folder_;
};

const char* const kSearch = R"({"kind": "search", "schema": 1, "rows": [], "pruned": 3, "impossible": []})";

TEST(ReportInput, AFileCutInHalfIsToldWithItsPlace) {
  // Cut after "schema": on the second line, whose tenth and last character is the colon.
  EXPECT_EQ(message("{\"kind\": \"search\",\n \"schema\":"),
            "f.json: not whole JSON, it breaks at line 2, column 10; write the file again");
  EXPECT_EQ(message(""), "f.json: not whole JSON, it breaks at line 1, column 1; write the file again");
}

TEST(ReportInput, UnknownKindsAndSchemasAreToldWithTheKnownOnes) {
  EXPECT_EQ(message(R"({"kind": "serch", "schema": 1})"),
            "f.json: unknown kind \"serch\" (did you mean \"search\"?)");
  EXPECT_EQ(message(R"({"kind": "search", "schema": 2})"),
            "f.json: schema 2, but this trnsim reads schema 1; write the file again with this trnsim");
  EXPECT_NE(message(R"({"kind": "search"})").find("has no \"schema\""), std::string::npos);
  EXPECT_NE(message(R"({"rows": []})").find("has no \"kind\""), std::string::npos);
  EXPECT_EQ(message("[]"), "f.json: expected a JSON object");
  EXPECT_EQ(message(R"({"kind": 7, "schema": 1})"), "f.json: $.kind: expected a text, found 7");
}

TEST(ReportInput, WhatIsMissingOrOfTheWrongTypeIsToldWithItsPath) {
  EXPECT_EQ(message(R"({"kind": "search", "schema": 1, "rows": []})"), "f.json: $: has no \"pruned\"");
  EXPECT_EQ(message(R"({"kind": "search", "schema": 1, "pruned": -1, "rows": []})"),
            "f.json: $.pruned: expected an integer >= 0, found -1");
  EXPECT_EQ(message(R"({"kind": "study", "schema": 1, "name": "s", "axes": [],
                        "points": [{"index": 0, "coordinates": {}, "state": "half"}]})"),
            "f.json: $.points[0].state: expected done, failed or missing, found \"half\"");
  EXPECT_EQ(message(R"({"kind": "sensitivity", "schema": 1, "metric": "mfu", "base": 1e999})"),
            "f.json: a number is out of range; write the file again");
}

TEST_F(Folder, AllJsonFilesOfAFolderAreReadInOrderOfTheirNames) {
  write_file_atomically(path("b.json"), kSearch);
  write_file_atomically(path("a.json"), kSearch);
  write_file_atomically(path("notes.txt"), "not ours");
  const std::vector<ReportInput> inputs = load_report_inputs(path());
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0].name, "a.json");
  EXPECT_EQ(inputs[1].name, "b.json");
  EXPECT_EQ(load_report_inputs(path("b.json")).size(), 1u);
}

TEST_F(Folder, ASweepsPlanBesideItsResultsIsPassedOver) {
  write_file_atomically(path("plan.json"), R"({"kind": "plan", "schema": 1})");
  EXPECT_NE(load_error(path()).find("no results; trnsim sweep collect"), std::string::npos);
  write_file_atomically(path("search.json"), kSearch);
  EXPECT_EQ(load_report_inputs(path()).size(), 1u);
}

TEST_F(Folder, AnEmptyFolderAndAMissingFileAreTold) {
  EXPECT_EQ(load_error(path()),
            path() + ": holds no .json file; commands write theirs there with -o " + path());
  EXPECT_EQ(load_error(path("none")), path("none") + ": no such file or folder; give what -o DIR wrote");
}

}  // namespace
}  // namespace trn
