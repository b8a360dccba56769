// Many questions at once, each in a process of its own.
#pragma once

#include <functional>
#include <vector>

#include "sim/study/answer.h"
#include "sim/study/fork_pool.h"

namespace trn {

struct Reply {
  Answer answer;
  int exit_code = 0;  // ExitCode
  std::string error;  // the line, if it is not 0
  bool ok() const { return exit_code == 0; }
};

// Replies in the order of the work. `jobs` at a time; 0: as many as cores. A line of progress with an
// estimate goes to stderr when that is a terminal.
std::vector<Reply> ask_all(const std::vector<std::function<Answer()>>& work, std::size_t jobs,
                           const std::string& what);

// The answer, or the error again as it was thrown.
const Answer& answer_of(const Reply& reply);

// Makes the work of asking `question`, its machine resolved by whoever computes it.
std::function<Answer()> work_of(const Question& question);

}  // namespace trn
