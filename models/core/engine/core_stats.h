// What one engine did. Plain counters in the hot path; sim/run turns them into named statistics.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace trn {

struct EngineStats {
  std::uint64_t instructions = 0;
  std::uint64_t flops = 0;    // executed by the array
  std::uint64_t matmuls = 0;  // MultiplyMoving instructions
  std::uint64_t transposes = 0;
  std::uint64_t table_loads = 0;
  std::uint64_t transfers = 0;  // DMA instructions
  Picoseconds busy;             // issue slots and data path occupied
  Picoseconds active;           // a data instruction between its start and its result, as profilers count it
  Picoseconds array_busy;       // Tensor: the array occupied, limiter stalls included
  Picoseconds transpose_busy;   // the part of busy with transposes and nothing beside, limiter excluded
  Picoseconds limiter_stall;    // added to instructions by the current limiter
  Picoseconds limiter_busy;     // the part of busy that the limiter added, nothing new running beside
  Picoseconds semaphore_wait;   // data path idle, waiting for a semaphore
  Picoseconds ring_wait;        // descriptor unit taken or queue full
  Picoseconds conflict_wait;    // PSUM bank, port or bus taken by another engine
  std::vector<Picoseconds> wait_by_region;
};

}  // namespace trn
