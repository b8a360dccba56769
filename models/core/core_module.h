// The SystemC shell of one rank's cores: it decides when, never how long.
#pragma once

#include <functional>
#include <systemc>

#include "base/systemc/time.h"
#include "models/core/engine/core_evaluator.h"

namespace trn {

// The evaluator runs ahead in local time; the shell hands over what crosses the core (each request with its
// own future timestamp) and sleeps until something outside wakes it.
class CoreModule : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(CoreModule);
  CoreModule(const sc_core::sc_module_name& name, CoreEvaluator& core, std::function<void()> submit)
      : sc_module(name), core_(core), submit_(std::move(submit)) {
    SC_METHOD(advance);
    sensitive << woken_;
  }

  // At the completion's simulated time, never earlier.
  void complete(const Completion& completion) {
    core_.complete(completion, now());
    woken_.notify(sc_core::SC_ZERO_TIME);
  }

 private:
  void advance() {
    core_.run_ahead(now());
    submit_();
    if (core_.wake_at()) woken_.notify(to_sc_time(*core_.wake_at() - now()));
  }

  CoreEvaluator& core_;
  std::function<void()> submit_;
  sc_core::sc_event woken_{"woken"};
};

}  // namespace trn
