// Jobs: who is in whose group, and what must agree before time starts.
#include "isa/job.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "base/error.h"
#include "base/text.h"
#include "isa/assembler/assembler.h"
#include "traces/program_file.h"

namespace trn {
namespace {

std::string program_text(const std::string& name, std::uint64_t bytes) {
  return ".target trn2\n.kernel " + name +
         "\n.sem s\n.coll c op=all_reduce axis=tp bytes=" + std::to_string(bytes) +
         " dtype=bf16\n.engine POOL\n.for i in 0..3\nCOLL c ! s+=1\nWAIT s>=i+1\n.endfor\n.end\n";
}

Job two_programs(std::uint64_t other_bytes) {
  Job job = uniform_job(assemble(program_text("a", 1024), "a"), {{"tp", 2}, {"fsdp", 2}});
  job.programs.push_back(assemble(program_text("b", other_bytes), "b"));
  job.program_of = {0, 0, 0, 1};
  return job;
}

std::string refusal(const Job& job) {
  try {
    check_job(job, 4);
  } catch (const ProgramError& error) {
    return error.what();
  }
  return "accepted";
}

// Axes (tp 2, pp 3, fsdp 2), tp fastest: rank = tp + 2 pp + 6 fsdp. A pp group steps by 2.
TEST(Job, GroupsDifferInOneCoordinate) {
  const Job job = uniform_job({}, {{"tp", 2}, {"pp", 3}, {"fsdp", 2}});
  using Groups = std::vector<std::vector<std::uint64_t>>;
  EXPECT_EQ(groups_of_axis(job, "tp"), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}}));
  EXPECT_EQ(groups_of_axis(job, "pp"), (Groups{{0, 2, 4}, {1, 3, 5}, {6, 8, 10}, {7, 9, 11}}));
  EXPECT_EQ(groups_of_axis(job, "fsdp"), (Groups{{0, 6}, {1, 7}, {2, 8}, {3, 9}, {4, 10}, {5, 11}}));
}

TEST(Job, MembersOfAGroupMustAgreeOnEveryCollective) {
  EXPECT_EQ(refusal(two_programs(1024)), "accepted");
  EXPECT_EQ(
      refusal(two_programs(2048)),
      "job: axis tp stream 0: ranks 2 (a) and 3 (b) disagree on collective 0: all_reduce of 1,024 B bf16 "
      "priority 0 and all_reduce of 2,048 B bf16 priority 0; give all ranks of the group the same "
      "collectives in "
      "the same order");
  Job fewer = two_programs(1024);
  fewer.programs[1].cores[0].streams[index_of(Engine::kGpSimd)].clear();
  EXPECT_EQ(
      refusal(fewer),
      "job: axis tp stream 0: ranks 2 (a) and 3 (b) disagree on collective 0: all_reduce of 1,024 B bf16 "
      "priority 0 and none; give all ranks of the group the same collectives in the same order");
}

TEST(Job, PartsMustFitTogether) {
  Job job = two_programs(1024);
  job.mesh[1].size = 3;
  EXPECT_EQ(refusal(job), "job: the mesh has more ranks than the 4 that have a program");
  job = two_programs(1024);
  job.seats = {0, 1, 2, 2};
  EXPECT_EQ(refusal(job), "job: every rank needs a seat of its own");
  job = two_programs(1024);
  job.mesh[0].name = "dp";
  EXPECT_EQ(refusal(job), "a: collective over axis tp: not an axis of the mesh; known: dp, fsdp");
}

class JobFile : public testing::Test {
 protected:
  JobFile() : folder_(std::filesystem::temp_directory_path() / "trnsim_job_test") {
    std::filesystem::create_directories(folder_);
    write_file_atomically((folder_ / "a.tasm").string(), program_text("a", 1024));
    write_file_atomically((folder_ / "b.tasm").string(), program_text("b", 1024));
  }
  ~JobFile() override { std::filesystem::remove_all(folder_); }
  Job load(const std::string& text) const {
    const std::string path = (folder_ / "job.json").string();
    write_file_atomically(path, text);
    return load_job(path);
  }
  std::string error(const std::string& text) const {
    try {
      load(text);
    } catch (const ProgramError& e) {
      return std::string(e.what()).substr(folder_.string().size() + 1);
    }
    return "accepted";
  }
  std::filesystem::path folder_;
};

const char* const kDescription =
    R"({"mesh": "tp=2,fsdp=2", "programs": {"a.tasm": "0-1,3", "b.tasm": "2"}, "seats": "0,2,1,3"})";

TEST_F(JobFile, NamesMeshProgramsAndSeats) {
  const Job job = load(kDescription);
  EXPECT_EQ(job.program_of, (std::vector<std::uint32_t>{0, 0, 1, 0}));
  EXPECT_EQ(job.seats, (std::vector<std::uint64_t>{0, 2, 1, 3}));
  EXPECT_EQ(job.program(2).name, "b");
  EXPECT_EQ(refusal(job), "accepted");
}

TEST_F(JobFile, ErrorsSayWhere) {
  EXPECT_EQ(error(R"({"mesh": "tp=2", "programs": {"a.tasm": "0"}})"),
            "job.json: programs: rank 1 of 2 has no program");
  EXPECT_EQ(error(R"({"mesh": "tp=2", "programs": {"a.tasm": "0-2"}})"),
            "job.json: programs.a.tasm: ranks 0-2 are not within 0-1");
  EXPECT_EQ(error(R"({"mesh": "tp=0", "programs": {"a.tasm": "all"}})"),
            "job.json: mesh: tp=0: sizes are positive, and a job has up to 1,048,576 ranks");
  EXPECT_EQ(error(R"({"programs": {"a.tasm": "all"}})"), "job.json.mesh: missing key; found: programs");
}

// Whatever bytes change, the answer is a job or one ProgramError.
TEST_F(JobFile, SurvivesMutations) {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    std::string text = kDescription;
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 4);
      else
        text[at] = static_cast<char>(' ' + random() % 95);
    }
    try {
      refusal(load(text));
    } catch (const ProgramError&) {
    }
  }
}

}  // namespace
}  // namespace trn
