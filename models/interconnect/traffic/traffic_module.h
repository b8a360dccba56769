// The one SystemC process that owns every flow of a machine.
#pragma once

#include <functional>
#include <systemc>

#include "base/systemc/time.h"
#include "models/interconnect/traffic/traffic.h"

namespace trn {

// One SC_METHOD and one event over the pure Traffic; `deliver` hands out what completed at this time.
class TrafficModule : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(TrafficModule);
  TrafficModule(const sc_core::sc_module_name& name, Traffic& traffic, std::function<void()> deliver)
      : sc_module(name), traffic_(traffic), deliver_(std::move(deliver)) {
    SC_METHOD(advance);
    sensitive << changed_;
    dont_initialize();
  }

  // New flows or timers were submitted: look again when the kernel next gets there.
  void reschedule() {
    const std::optional<Picoseconds> next = traffic_.next_event(now());
    if (next == scheduled_) return;
    changed_.cancel();
    if (next) changed_.notify(to_sc_time(*next - now()));
    scheduled_ = next;
  }

 private:
  void advance() {
    scheduled_.reset();
    traffic_.advance(now());
    deliver_();
    reschedule();
  }

  Traffic& traffic_;
  std::function<void()> deliver_;
  sc_core::sc_event changed_{"changed"};
  std::optional<Picoseconds> scheduled_;  // when `changed_` is due
};

}  // namespace trn
