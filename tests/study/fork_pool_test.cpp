#include "sim/study/fork_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include "base/error.h"

namespace trn {
namespace {

std::vector<WorkResult> run(std::size_t n, std::size_t jobs,
                            const std::function<std::string(std::size_t)>& work) {
  std::vector<WorkResult> results(n);
  run_forked(n, jobs, work, [&](std::size_t i, const WorkResult& result) { results[i] = result; });
  return results;
}

// 200 kB is more than a pipe holds: the child must not wait for a parent that waits for it.
TEST(ForkPool, EveryPieceOfWorkReturnsItsOwnText) {
  for (const std::size_t jobs : {1u, 2u, 5u}) {
    const auto results =
        run(7, jobs, [](std::size_t i) { return std::string(200'000 + i, static_cast<char>('a' + i)); });
    for (std::size_t i = 0; i < 7; ++i) {
      ASSERT_TRUE(results[i].ok());
      EXPECT_EQ(results[i].text, std::string(200'000 + i, static_cast<char>('a' + i)));
    }
  }
}

TEST(ForkPool, RunsInOtherProcesses) {
  int here = 0;
  const auto results = run(4, 2, [&](std::size_t) {
    ++here;
    return std::to_string(getpid());
  });
  EXPECT_EQ(here, 0);
  std::set<std::string> pids;
  for (const WorkResult& result : results) pids.insert(result.text);
  EXPECT_EQ(pids.size(), 4u);
  EXPECT_EQ(pids.count(std::to_string(getpid())), 0u);
}

// One fails as the user's mistake, one as ours, one is killed; the fourth is not disturbed.
TEST(ForkPool, FailuresStayApart) {
  const auto results = run(4, 2, [](std::size_t i) -> std::string {
    if (i == 0) throw CapacityError("too large");
    if (i == 1) throw InternalError("broken");
    if (i == 2) std::raise(SIGKILL);
    return "fine";
  });
  EXPECT_EQ(results[0].exit_code, 6);
  EXPECT_EQ(results[0].text, "too large");
  EXPECT_EQ(results[1].exit_code, 70);
  EXPECT_EQ(results[2].exit_code, 128 + SIGKILL);
  EXPECT_TRUE(results[3].ok());
  EXPECT_EQ(results[3].text, "fine");
}

TEST(ForkPool, NoWorkIsNoWork) {
  EXPECT_TRUE(run(0, 3, [](std::size_t) { return std::string(); }).empty());
}

}  // namespace
}  // namespace trn
