// One DMA instruction as the engines see it: rows, bytes, and the time of the slowest engine.
// Mechanism and constants: docs/calibration.md#dma.
#pragma once

#include "isa/program.h"
#include "models/machine_config.h"

namespace trn {

struct TransferShape {
  Bytes bytes;                 // moved by the engines: the wider side when the dtype is cast
  std::uint64_t rows = 0;      // contiguous runs: one descriptor element each
  Picoseconds slowest_engine;  // time of the engine with the largest share, alone on the machine
  Picoseconds row_time;        // part of it: what its rows cost besides their bytes,
  Picoseconds slow_rate_time;  // and what moving below the engine rate adds
  Bytes hbm_read;
  Bytes hbm_write;
};

// SBUF partitions are spread over the engines, 8 each, so few partitions use few engines; HBM to HBM is
// cut evenly.
TransferShape transfer_shape(const Instruction& dma, const Program& program, const CoreConfig& core);

// Time the unit that makes the descriptors is taken: by mode.
Picoseconds descriptor_time(const TransferShape& shape, DescriptorMode mode, const DmaConfig& dma);

// Trigger to first byte.
Picoseconds start_delay(const TransferShape& shape, DescriptorMode mode, const DmaConfig& dma);

}  // namespace trn
