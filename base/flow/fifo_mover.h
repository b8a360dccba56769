// Flows without sharing: every resource serves them in order of arrival.
#pragma once

#include <queue>
#include <string>

#include "base/flow/flow_mover.h"
#include "base/flow/flow_shapes.h"

namespace trn {

// A flow begins when all its resources are free. It keeps each of them busy for what its bytes take of it,
// and ends when the slowest is done. Weights, priorities and turning around mean nothing here. Two events a
// flow and no solve: the reference for schedules in which no two flows ever meet on a resource, and there
// equal to the flow engine.
class FifoMover final : public FlowMover {
 public:
  using FlowMover::add_resource;
  std::uint32_t add_resource(std::string name, double capacity, TurnShape turning) override;
  FlowClassId intern(const FlowShape& shape) override { return shapes_.intern(shape); }
  FlowId start(Picoseconds now, FlowClassId flow_class, Bytes bytes) override;
  FlowId start(Picoseconds now, const FlowSpec& spec) override;
  std::optional<Picoseconds> next_completion(Picoseconds now) override;
  void take_completed(Picoseconds now, std::vector<FlowId>& completed) override;

 private:
  struct Resource {
    double capacity;
    double free = 0;  // from this time on, in picoseconds
  };
  struct End {
    Picoseconds at;
    std::uint64_t serial;
    FlowId flow;
    bool operator<(const End& o) const { return at != o.at ? o.at < at : o.serial < serial; }
  };

  FlowShapes shapes_;
  std::vector<Resource> resources_;
  std::priority_queue<End> ends_;
  std::vector<FlowId> free_;
  FlowId flows_ = 0;  // numbers ever used at a time
  std::uint64_t next_serial_ = 0;
};

}  // namespace trn
