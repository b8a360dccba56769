// Operations before it is decided which of them need a stop in scratch.
#pragma once

#include <optional>
#include <vector>

#include "models/interconnect/collectives/msccl/msccl_operations.h"

namespace trn {

// With a stop in scratch, data leave the sender before they arrive at their place; without, both are one.
enum class MscclEventKind : std::uint8_t { kLeft, kArrived };

struct MscclEvent {
  std::uint32_t draft;
  MscclEventKind kind;
};

struct MscclDraft {
  MscclOperation operation;  // `after` still empty
  std::vector<MscclEvent> before;
  std::vector<MscclEvent> before_arrival;  // what the receiver does before
  std::optional<MscclStepId> receiver;     // of a send
};

// Adds the stops, and what they need to `memory`; sorts operations by their dependencies. Drafts must not
// wait for each other in a circle that leaves `before_arrival` out.
std::vector<MscclOperation> order_msccl_drafts(std::vector<MscclDraft> drafts, MscclMemory& memory);

}  // namespace trn
