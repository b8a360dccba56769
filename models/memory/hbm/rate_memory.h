// A memory that moves bytes at a fixed rate, first come, first served: what the fluid sharing of a stack is
// compared with, packet by packet.
#pragma once

#include <deque>

#include "models/memory/hbm/memory_port.h"

namespace trn {

class RateMemory : public MemoryPort {
 public:
  // A rate of 0: infinitely fast.
  explicit RateMemory(MegabytesPerSecond rate) : rate_(rate) {}

  void request(Picoseconds now, const MemoryRequest& request) override;
  Picoseconds next() const override;
  void advance(Picoseconds now, std::vector<std::uint32_t>& done) override;
  MemoryTotals totals() const override { return totals_; }

 private:
  struct Waiting {
    Picoseconds done;
    MemoryRequest request;
  };

  MegabytesPerSecond rate_;
  Picoseconds busy_from_;         // start of the time in which it has been busy without a pause,
  std::uint64_t busy_bytes_ = 0;  // and what it was asked for in it
  std::deque<Waiting> waiting_;
  MemoryTotals totals_;
};

}  // namespace trn
