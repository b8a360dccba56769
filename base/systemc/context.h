// A fresh SystemC kernel for one simulation.
#pragma once

namespace trn {

// The kernel is a process-wide singleton that cannot be restarted; replacing its context gives every
// simulation of a process its own. Not reentrant: one ScopedContext at a time.
class ScopedContext {
 public:
  ScopedContext();
  ~ScopedContext();
  ScopedContext(const ScopedContext&) = delete;
  ScopedContext& operator=(const ScopedContext&) = delete;
};

// Runs until nothing is scheduled. Fatal kernel reports come out as InternalError.
void run_to_quiescence();

}  // namespace trn
