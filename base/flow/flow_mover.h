// What moves flows over resources: the interface behind which ways of sharing are exchanged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/flow/flow_spec.h"
#include "base/flow/turn_shape.h"

namespace trn {

// FlowEngine shares resources max-min fairly; FifoMover serves flows one after the other.
// Times never go back. After starting flows ask for the next completion before time goes on.
class FlowMover {
 public:
  virtual ~FlowMover() = default;

  // `capacity`: units a picosecond, where a flow takes coefficient x bytes of units. Numbered from 0.
  virtual std::uint32_t add_resource(std::string name, double capacity, TurnShape turning) = 0;
  std::uint32_t add_resource(std::string name, double capacity) {
    return add_resource(std::move(name), capacity, {});
  }
  // The class of all flows of this shape, kept for the mover's life.
  virtual FlowClassId intern(const FlowShape& shape) = 0;

  // Flow numbers are reused as soon as the flow has been taken.
  virtual FlowId start(Picoseconds now, FlowClassId flow_class, Bytes bytes) = 0;
  virtual FlowId start(Picoseconds now, const FlowSpec& spec) = 0;
  // No flow completes before this time; nothing if none is active.
  virtual std::optional<Picoseconds> next_completion(Picoseconds now) = 0;
  // Takes the flows that complete at exactly `now`, in order of start.
  virtual void take_completed(Picoseconds now, std::vector<FlowId>& completed) = 0;
};

}  // namespace trn
