// The flows of a ring all-reduce, without the collective.
#pragma once

#include <algorithm>
#include <vector>

#include "models/interconnect/traffic/traffic.h"

namespace trn {

struct RingShape {
  std::uint32_t ranks = 576;
  std::uint32_t ranks_per_chip = 4;
  std::uint32_t channels = 11;
  std::uint32_t slices = 2;  // in flight at a time
  Bytes slice = Bytes(65536);
  Picoseconds latency = nanoseconds(1500);
};

// A rank reads its memory, moves the bytes with its DMA engines and writes its successor's memory; between
// two chips the bytes cross one to three links as well. Links are wide enough that memory binds everywhere:
// ranks stay in lock-step. By [rank][channel].
std::vector<FlowClassId> machine_ring(FlowMover& mover, const RingShape& shape);
// Nothing but a link of this rate from rank to rank, on every channel.
std::vector<FlowClassId> bare_ring(FlowMover& mover, const RingShape& shape, double rate);

// Every rank sends every slice of every channel to its successor, step after step. A step starts when the
// rank is through with the one before, and a latency after it got the predecessor's.
class RingTraffic : public TrafficActor {
 public:
  RingTraffic(Traffic& traffic, const RingShape& shape, std::vector<FlowClassId> classes,
              std::uint32_t steps);

  // The first step after a latency.
  void start(Picoseconds now);
  std::uint64_t flows_ended() const { return ended_; }
  void flow_done(std::uint64_t token, Picoseconds now) override;
  void timer(std::uint64_t token, Picoseconds now) override;

 private:
  // One slice of one channel at one rank; numbered [rank][channel][slice].
  struct Slice {
    std::uint32_t started = 0, sent = 0, received = 0;  // steps
    Picoseconds earliest;
  };
  void start_if_ready(std::uint64_t token, Picoseconds at, Picoseconds now);

  Traffic& traffic_;
  RingShape shape_;
  std::vector<FlowClassId> classes_;
  std::uint32_t steps_;
  std::vector<Slice> slices_;
  std::uint64_t ended_ = 0;
};

// From time 0 until all is quiet; the time of the last event.
Picoseconds run_until_quiet(Traffic& traffic);

}  // namespace trn
