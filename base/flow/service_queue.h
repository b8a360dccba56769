// Flows that are served alike, by one clock: how many bytes each of them has got.
#pragma once

#include <cstdint>
#include <vector>

#include "base/flow/flow_spec.h"

namespace trn {

// A flow joins at some reading of the clock and is done when the clock has advanced by its bytes; so a change
// of the common rate touches the clock, not the flows. An empty queue forgets its clock: it then starts at
// minus the bytes of the first flow to join, which is what that flow lacks, without rounding.
class ServiceQueue {
 public:
  struct Entry {
    double target;         // of the clock
    std::uint64_t serial;  // order of start
    FlowId flow;
  };

  bool empty() const { return entries_.empty(); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  double rate() const { return rate_; }

  // Nothing is served yet.
  void join(Picoseconds now, std::uint64_t serial, FlowId flow, Bytes bytes);
  // When the first flow ends at this rate; Picoseconds::max() if never.
  Picoseconds first_end() const;

  // Since the last call, summed over the flows.
  struct Served {
    double picoseconds = 0;
    double bytes = 0;
  };
  Served advance(Picoseconds now);
  // Only at a time up to which the queue has advanced.
  void set_rate(double rate) { rate_ = rate; }
  // Advances, and takes the flows that end at `now`, at least one of which is the first.
  Served take(Picoseconds now, std::vector<Entry>& ended);

 private:
  Picoseconds end_of(double target) const;
  void move_clock(double bytes, Picoseconds now);

  std::vector<Entry> entries_;  // heap, the smallest (target, serial) in front
  double clock_ = 0;            // bytes,
  Picoseconds since_;           // at this time
  Served before_joining_;       // counted from `since_` on, what flows were not there for
  double rate_ = 0;             // bytes a picosecond of one flow
  double slack_ = 0;            // picoseconds by which targets may be off
};

}  // namespace trn
