// Finds accesses to the same bytes that no semaphore orders: reads before the write has arrived, and
// overwrites before the last reader or writer is through.
#pragma once

#include <string>
#include <vector>

#include "models/core/engine/execution_observer.h"
#include "sim/functional/happens_before.h"

namespace trn {

class HazardChecker : public ExecutionObserver {
 public:
  explicit HazardChecker(const Program& program) : program_(program) {}

  void issued(const IssuedInstruction& issued) override;
  std::uint64_t transfer_triggered(const IssuedInstruction& issued, Picoseconds first_byte,
                                   const TransferShape&) override;
  void transfer_done(std::uint64_t, Picoseconds, Picoseconds) override {}

  // After the run: a line a kind of hazard, each once a pair of places in the program, the first of them in
  // full.
  std::vector<std::string> hazards() const;

 private:
  const Program& program_;
  std::vector<ExecutionStep> steps_;
};

}  // namespace trn
