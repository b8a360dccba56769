// One DMA instruction as the engines see it: rows, bytes, and the time of the slowest engine.
// Mechanism and constants: docs/calibration.md#dma.
#pragma once

#include <array>

#include "isa/program.h"
#include "models/machine_config.h"

namespace trn {

// Part of the HBM bytes that lies on another stack of the chip.
struct RemoteBytes {
  std::uint32_t stack = 0;  // counted from the rank's own; 0: nothing
  Bytes read, write;
};

struct TransferShape {
  Bytes bytes;                 // moved by the engines: the wider side when the dtype is cast
  std::uint64_t rows = 0;      // contiguous runs: one descriptor element each
  std::uint64_t engines = 1;   // that have a share
  Picoseconds slowest_engine;  // time of the engine with the largest share, alone on the machine
  Picoseconds row_time;        // part of it: what its rows cost besides their bytes,
  Picoseconds slow_rate_time;  // and what moving below the engine rate adds
  Bytes hbm_read;              // on all stacks
  Bytes hbm_write;
  std::array<RemoteBytes, 3> remote{};  // one a stack
};

// SBUF partitions are spread over the engines, 8 each, so few partitions use few engines; HBM to HBM is
// cut evenly.
TransferShape transfer_shape(const Instruction& dma, const Program& program, const CoreConfig& core);

// A block of instructions, read from the own stack.
TransferShape fetch_shape(const CoreConfig& core);

// Time the unit that makes the descriptors is taken: by mode.
Picoseconds descriptor_time(const TransferShape& shape, DescriptorMode mode, const DmaConfig& dma);

// Trigger to first byte of the last engine that has a share.
Picoseconds start_delay(const TransferShape& shape, DescriptorMode mode, const DmaConfig& dma);

}  // namespace trn
