// A fresh SystemC kernel for one simulation.
#pragma once

namespace sc_core {
class sc_simcontext;
}

namespace trn {

// The kernel is a process-wide singleton that cannot be restarted; a context of its own gives every
// simulation of a process a fresh one. The process's first context stays alive: static objects of the library
// belong to it, and look for it when the program ends. Not reentrant: one ScopedContext at a time.
class ScopedContext {
 public:
  ScopedContext();
  ~ScopedContext();
  ScopedContext(const ScopedContext&) = delete;
  ScopedContext& operator=(const ScopedContext&) = delete;

 private:
  sc_core::sc_simcontext* const first_;
};

// Runs until nothing is scheduled. Fatal kernel reports come out as InternalError.
void run_to_quiescence();

}  // namespace trn
