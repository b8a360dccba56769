// An MSCCL program as single data movements.
#pragma once

#include <optional>

#include "models/interconnect/collectives/msccl/msccl_memory.h"
#include "models/interconnect/collectives/msccl/msccl_program.h"

namespace trn {

struct MscclSpot {
  std::uint32_t gpu = 0;
  MscclPlace place;
};

// destination = source, or source + addend: `count` chunks. The addend lies on the destination's gpu and is
// mostly the destination itself.
struct MscclOperation {
  MscclSpot source, destination;
  std::optional<MscclPlace> addend;
  std::uint32_t count = 0;
  std::vector<std::uint32_t> after;  // earlier operations that must be complete; sorted
  MscclStepId step;  // whose it is: the send's, the local step's, or the receive's that unpacks

  bool local() const { return source.gpu == destination.gpu; }
};

struct MscclOperations {
  std::vector<MscclOperation> operations;
  MscclMemory memory;  // with the scratch that was added
};

// A send and its receive are one operation that writes into the receiver's memory. It waits for what precedes
// both, except that a receive does not wait for earlier sends of its thread block unless they still read
// where it writes. Where such operations would wait for each other (two ranks that swap their chunks), what
// is sent goes to new scratch first, and a local operation takes it from there: that is what the FIFOs do for
// the original. Throws what check_msccl() throws.
MscclOperations expand_msccl(const MscclProgram& program);

}  // namespace trn
