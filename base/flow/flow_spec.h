// What a flow is: how many bytes, and what moving them takes.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/flow/flow_use.h"
#include "base/units.h"

namespace trn {

using FlowId = std::uint32_t;
using FlowClassId = std::uint32_t;

// All that decides how fast a flow may go. Flows of one shape always have the same rate.
struct FlowShape {
  double weight = 1;                                     // share against others on the binding resource
  double cap = std::numeric_limits<double>::infinity();  // bytes a picosecond, of one flow
  std::uint32_t priority = 0;
  std::vector<FlowUse> uses;

  friend bool operator==(const FlowShape& a, const FlowShape& b) {
    return a.weight == b.weight && a.cap == b.cap && a.priority == b.priority && a.uses == b.uses;
  }
};
std::uint64_t hash(const FlowShape& shape);

// What one resource did to one flow: filled in while the flow is bound by it. Belongs to the flow's owner and
// must outlive the flow.
struct FlowWatch {
  std::uint32_t resource = kOwnCap;
  double picoseconds = 0;  // bound by the resource
  double bytes = 0;        // moved meanwhile
};

// A flow unlike all others, perhaps watched.
struct FlowSpec {
  Bytes bytes;  // > 0
  double weight = 1;
  double cap = std::numeric_limits<double>::infinity();
  std::uint32_t priority = 0;
  std::vector<FlowUse> uses;
  FlowWatch* watch = nullptr;
};

}  // namespace trn
