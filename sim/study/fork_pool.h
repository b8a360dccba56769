// Runs work in forked processes, so many at a time: a simulation each (the SystemC kernel is one a process),
// on all cores, and a crash of one is nobody else's.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace trn {

struct WorkResult {
  int exit_code = 0;  // ExitCode; 128 + the signal's number if it was killed
  std::string text;   // what `work` returned, or the error's line
  bool ok() const { return exit_code == 0; }
};

// work(0) ... work(n - 1), started in that order; `done` is called in this process as each ends, in any
// order. 0 jobs: as many as the machine has cores.
void run_forked(std::size_t n, std::size_t jobs, const std::function<std::string(std::size_t)>& work,
                const std::function<void(std::size_t, const WorkResult&)>& done);

}  // namespace trn
