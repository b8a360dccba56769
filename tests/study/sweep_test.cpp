#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/build_info.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/study/sweep/collect.h"
#include "sim/study/sweep/point_store.h"
#include "sim/study/sweep/worker.h"

namespace trn {
namespace {

namespace fs = std::filesystem;

// Ten small gemms: two machines, five depths; one axis sets two options at once.
constexpr const char* kStudy = R"({"name": "gemms", "base": {"kernel": {"name": "gemm", "machine": "trn2",
  "arguments": {"m": 256, "n": 512}}},
  "axes": [{"name": "machine", "values": ["trn2", "trn3"]},
           {"name": "depth", "values": [{"label": "128", "arguments": {"k": 128}}, {"label": "256", "arguments": {"k": 256}},
             {"label": "384", "arguments": {"k": 384}}, {"label": "512", "arguments": {"k": 512}},
             {"label": "a core pair", "arguments": {"k": 512}, "lnc": 2}]}]})";

class SweepTest : public testing::Test {
 protected:
  SweepTest() : root_(fs::temp_directory_path() / ("trnsim_sweep_" + std::to_string(getpid()))) {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~SweepTest() override { fs::remove_all(root_); }

  std::string folder(const std::string& name) const { return (root_ / name).string(); }

  // Plans, computes in `shards` turns, collects.
  StudyResults run(const std::string& name, const char* study, std::size_t shards) const {
    const Plan plan = make_plan(parse_study(study, "study.json"));
    write_plan(plan, folder(name));
    for (std::size_t i = 0; i < shards; ++i) work_on(read_plan(folder(name)), folder(name), {i, shards}, 2);
    StudyResults results = collect(read_plan(folder(name)), folder(name));
    write_results(results, folder(name), "test");
    return results;
  }
  std::string bytes(const std::string& name, const std::string& file) const {
    return read_text_file(folder(name) + '/' + file);
  }
  fs::path root_;
};

// --- the study file ----------------------------------------------------------------------------------------

std::string error_of(const std::string& text) {
  try {
    parse_study(text, "s.json");
    return "accepted";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

std::string study_with(const std::string& axes, const std::string& more = "") {
  return R"({"name": "x", "base": {"kernel": {"name": "gemm"}}, "axes": )" + axes + more + '}';
}

TEST(StudyFile, NonsenseGetsOneLineWithThePlace) {
  EXPECT_EQ(error_of(study_with("[]", R"(, "axis": [])")),
            "s.json.axis: unknown key (did you mean \"axes\"?)");
  EXPECT_EQ(error_of(study_with(R"([{"name": "lnc", "values": []}])")),
            "s.json.axes[0].values: expected at least one value");
  EXPECT_EQ(error_of(study_with(R"([{"name": "lnc", "values": [1, 1]}])")),
            "s.json.axes[0].values[1]: value 1 appears twice");
  EXPECT_EQ(error_of(study_with(R"([{"name": "machin", "values": ["trn2"]}])")),
            "s.json.axes[0] machin: unknown key (did you mean \"machine\"?)");
  EXPECT_EQ(error_of(study_with(R"([{"name": "lnc", "values": [-1]}])")),
            "s.json.axes[0] lnc: expected an integer > 0, found -1");
  EXPECT_EQ(error_of(R"({"name": "x", "axes": []})"), "s.json.base: missing key");
  EXPECT_EQ(error_of(R"({"name": "x", "base": {"kernel": {"name": "gemm"}, "train": {}}, "axes": []})"),
            "s.json.base: expected {\"train\": {...}}, \"collective\" or \"kernel\"");
  EXPECT_NE(error_of("{\"name\": ").find("not valid JSON"), std::string::npos);
}

// Two thousand damaged copies: each is a study or a ConfigError, never a crash or another exception.
TEST(StudyFile, DamagedTextIsRefusedOrParsed) {
  std::mt19937 random(3);
  const std::string bytes = "{}[]\",:0123456789eE+-.xtrn \\\n";
  for (int i = 0; i < 2000; ++i) {
    std::string text = kStudy;
    for (std::size_t edits = 1 + random() % 3; edits > 0 && !text.empty(); --edits) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 20);
      else
        text[at] = bytes[random() % bytes.size()];
    }
    try {
      const Study study = parse_study(text, "s.json");
      if (study.points() > 0) question_at(study, coordinates_of(study, study.points() - 1));
    } catch (const ConfigError&) {
    }
  }
}

// 1000 x 1000 x 1000 points: refused before any is made.
TEST(StudyFile, ABillionPointsAreRefused) {
  std::string values;
  for (int i = 0; i < 1000; ++i) values += (i == 0 ? "" : ",") + std::to_string(i + 1);
  std::string axes = "[";
  for (const char* name :
       {"neuron_core.tensor.clock_mhz", "neuron_core.vector.clock_mhz", "neuron_core.scalar.clock_mhz"})
    axes +=
        std::string(axes == "[" ? "" : ",") + R"({"name": ")" + name + R"(", "values": [)" + values + "]}";
  EXPECT_EQ(
      error_of(study_with(axes + "]")),
      "s.json.axes: the axes make 1,000,000,000 points or more; at most 100,000: shorten an axis or split "
      "the study");
}

// The first axis changes slowest, and each point has every axis's option.
TEST(StudyFile, PointsCountLikeAnOdometer) {
  const Study study = parse_study(kStudy, "s.json");
  EXPECT_EQ(study.points(), 10u);
  EXPECT_EQ(coordinates_of(study, 0), (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(coordinates_of(study, 4), (std::vector<std::size_t>{0, 4}));
  EXPECT_EQ(coordinates_of(study, 5), (std::vector<std::size_t>{1, 0}));
  const auto q = std::get<KernelQuestion>(question_at(study, {1, 4}));
  EXPECT_EQ(q.machine.machine, "trn3");
  EXPECT_EQ(q.lnc, 2u);
  EXPECT_EQ(q.arguments.at("k"), "512");
  EXPECT_EQ(q.arguments.at("m"), "256");
}

TEST(StudyFile, AQuestionSurvivesTheFile) {
  const Question q = question_at(parse_study(kStudy, "s.json"), {1, 4});
  EXPECT_EQ(question_json(parse_question(nlohmann::json(question_json(q)), "again")), question_json(q));
}

// --- computing and collecting ------------------------------------------------------------------------------

TEST_F(SweepTest, ShardsGiveTheSameBytes) {
  const StudyResults one = run("one", kStudy, 1);
  run("seven", kStudy, 7);
  EXPECT_EQ(one.done, 10u);
  for (const char* file : {"plan.json", "study.json", "study.csv", "study.sqlite"})
    EXPECT_EQ(bytes("one", file), bytes("seven", file)) << file;
}

// The answers of a sweep are those of asking one at a time.
TEST_F(SweepTest, PointsAreWhatTheQuestionAnswers) {
  const StudyResults r = run("one", kStudy, 1);
  for (const std::size_t i : {0u, 9u}) {
    const Question& q = r.plan.points[i].question;
    EXPECT_EQ(r.replies[i]->answer.time, answer(q, machine_of(q).resolve()).time);
  }
}

TEST_F(SweepTest, AChangedStudyReusesWhatIsDone) {
  run("s", kStudy, 1);
  std::string longer = kStudy;
  longer.replace(longer.find("\"trn3\"]"), 7, "\"trn3\", \"inf2\"]");
  const Plan plan = make_plan(parse_study(longer, "study.json"));
  const WorkSummary summary = work_on(plan, folder("s"), {}, 2);
  EXPECT_EQ(summary.there, 10u);
  EXPECT_EQ(summary.computed + summary.failed, plan.points.size() - 10);
}

// Everything that can change an answer changes the hash; what cannot, such as another shape's links, may.
TEST(ContentHash, FollowsTheQuestionAndTheMachine) {
  KernelQuestion q;
  parse_kernel_text("gemm m=256", q);
  const auto hash = [&] { return content_hash(Question(q), q.machine.resolve()); };
  const std::string base = hash();
  EXPECT_EQ(hash(), base);
  q.machine.sets = {"hbm_bandwidth=2x"};
  const std::string faster = hash();
  EXPECT_NE(faster, base);
  q.machine.sets.clear();
  q.lnc = 2;
  EXPECT_NE(hash(), base);
  EXPECT_NE(hash(), faster);
}

TEST_F(SweepTest, WhatCannotRunIsListedAndNotRun) {
  const char* study =
      R"({"name": "impossible", "base": {"train": {"model": "Qwen3-8B", "machine": "trn2:instance",
    "layout": "tp=4", "global_batch": 16}}, "axes": [{"name": "layout", "values": ["tp=4", "tp=3"]},
    {"name": "seq", "values": [4096, 1048576]}]})";
  const Plan plan = make_plan(parse_study(study, "s.json"));
  EXPECT_EQ(plan.points.size(), 1u);
  ASSERT_EQ(plan.impossible.size(), 3u);
  EXPECT_NE(plan.impossible[0].reason.find("does not fit"), std::string::npos);  // tp=4, a million tokens
  EXPECT_NE(plan.impossible[1].reason.find("tp=3 does not divide"), std::string::npos);
}

TEST_F(SweepTest, ADamagedResultIsToldAndComputedAgain) {
  const StudyResults first = run("s", kStudy, 1);
  const std::string file = folder("s") + "/results/" + first.plan.points[3].hash + ".json";
  const std::string whole = read_text_file(file);
  for (const std::size_t left : {whole.size() / 2, std::size_t{0}}) {
    std::ofstream(file, std::ios::trunc) << whole.substr(0, left);
    try {
      collect(first.plan, folder("s"));
      FAIL() << "collected half a file";
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.what(), file + ": damaged or cut short; trnsim sweep submit computes this point again");
    }
    EXPECT_EQ(work_on(first.plan, folder("s"), {}, 1).computed, 1u);
    EXPECT_EQ(read_text_file(file), whole);
  }
}

TEST_F(SweepTest, AStoreOfAnotherVersionIsRefused) {
  const StudyResults r = run("s", kStudy, 1);
  const std::string path = folder("s") + "/plan.json";
  std::string text = read_text_file(path);
  std::string other = text;
  other.replace(other.find(version()), version().size(), "0.0.9");
  std::ofstream(path, std::ios::trunc) << other;
  try {
    read_plan(folder("s"));
    FAIL() << "read a plan of another version";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.what(),
              path + ": written by trnsim \"0.0.9\", this is " + version() + "; plan the study again");
  }
  other = text;
  other.replace(other.find(build_id()), build_id().size(), "0123456789abcdef");
  std::ofstream(path, std::ios::trunc) << other;
  EXPECT_THROW(require_own_build(read_plan(folder("s")), folder("s")), ConfigError);
  std::ofstream(path, std::ios::trunc) << text.substr(0, text.size() / 2);
  EXPECT_THROW(read_plan(folder("s")), ConfigError);
  EXPECT_THROW(read_plan(folder("nowhere")), ConfigError);
}

// A clock that only GpSimd has changes no gemm; the machine does.
TEST_F(SweepTest, AxesWithoutEffectAreNamed) {
  const StudyResults r =
      run("s", R"({"name": "dead", "base": {"kernel": {"name": "gemm", "arguments": {"m": 256, "n": 512}}},
    "axes": [{"name": "machine", "values": ["trn2", "trn3"]}, {"name": "gpsimd_clock", "values": ["1x", "2x"]}]})",
          1);
  const std::vector<DeadAxis> dead = dead_axes(r);
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].name, "gpsimd_clock");
  EXPECT_FALSE(dead[0].limiter.empty());
}

TEST_F(SweepTest, TheDatabaseHoldsWhatTheStoreHolds) {
  const StudyResults r = run("s", kStudy, 1);
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open((folder("s") + "/study.sqlite").c_str(), &db), SQLITE_OK);
  double sum = 0;
  const auto read = [](void* out, int, char** values, char**) {
    *static_cast<double*>(out) = std::stod(values[0]);
    return 0;
  };
  ASSERT_EQ(sqlite3_exec(db, "SELECT SUM(time_us) FROM points WHERE state = 'done'", read, &sum, nullptr),
            SQLITE_OK);
  double parts = 0;
  ASSERT_EQ(sqlite3_exec(db, "SELECT SUM(time_ps) FROM parts", read, &parts, nullptr), SQLITE_OK);
  sqlite3_close(db);
  double expected = 0;
  for (const auto& reply : r.replies) expected += to_us(reply->answer.time);
  EXPECT_NEAR(sum, expected, 1e-6 * expected);
  EXPECT_NEAR(parts * 1e-6, expected, 1e-6 * expected);  // a point's parts sum to its time
}

TEST(Shard, FromTextAndFromTheScheduler) {
  EXPECT_EQ(parse_shard("2/7", 1).index, 2u);
  EXPECT_EQ(parse_shard("", 1).count, 1u);
  for (const char* text : {"7/7", "1", "a/2", "-1/2", "0/0", "1/2/3"})
    EXPECT_THROW(parse_shard(text, 1), UsageError) << text;
  EXPECT_THROW(parse_shard("", 4), UsageError);
  setenv("PARALLEL_SEQ", "4", 1);  // counts from 1
  EXPECT_EQ(parse_shard("", 4).index, 3u);
  unsetenv("PARALLEL_SEQ");
  setenv("SLURM_ARRAY_TASK_ID", "3", 1);
  EXPECT_EQ(parse_shard("", 4).index, 3u);
  setenv("SLURM_ARRAY_TASK_ID", "4", 1);
  EXPECT_THROW(parse_shard("", 4), UsageError);
  unsetenv("SLURM_ARRAY_TASK_ID");
}

}  // namespace
}  // namespace trn
