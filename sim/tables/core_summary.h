// Sums over what one physical core did: what the table Summary is made from.
#pragma once

#include <array>
#include <map>

#include "sim/tables/interval_union.h"
#include "sim/timeline/run_events.h"

namespace trn {

struct EngineSums {
  std::uint64_t instructions = 0;
  Picoseconds instruction_time;  // overlapping ones added
  Picoseconds active;            // at least one between its issue and its result
  Picoseconds last;              // end of the latest
  void add(Picoseconds start, Picoseconds complete);
};

struct DmaSums {
  std::uint64_t transfers = 0, bytes = 0;
  IntervalUnion active;
};

struct CoreSummary {
  std::array<EngineSums, kEngineCount> engines;
  std::array<DmaSums, kDescriptorModes.size()> by_mode;
  std::uint64_t matmuls = 0, flops = 0;
  double adjusted_flops = 0;
  std::uint64_t activations = 0;
  Picoseconds activation_time;
  OperandBytes moved;  // by instructions and transfers
  std::uint64_t psum_to_sbuf = 0, psum_to_sbuf_bytes = 0;
  std::uint64_t transfers = 0, transfer_bytes = 0;
  Picoseconds transfer_time;  // overlapping ones added
  IntervalUnion dma_active;
  Picoseconds end;  // of the last instruction or transfer

  void add(const InstructionEvent& e, const OperandBytes& bytes, double bf16_equivalent);
  void add(const TransferEvent& e);
};

// A rank's collectives.
struct CollectiveSums {
  std::uint64_t count = 0;
  Picoseconds time;  // overlapping ones added
  IntervalUnion active;
  Picoseconds end;
};

}  // namespace trn
