// The machine's rules for programs, checked before simulated time starts.
#pragma once

#include <cstdint>
#include <string>

#include "isa/program.h"

namespace trn {

// What a generation allows; filled from its configuration.
struct IsaLimits {
  std::string machine;        // trn2
  std::string target;         // of the programs it runs; a what-if runs those of the machine it builds on
  std::uint32_t version = 3;  // of the NeuronCore
  std::uint64_t partitions = 128;
  std::uint64_t sbuf_bytes = 0;  // a partition
  std::uint64_t psum_banks = 8;
  std::uint64_t psum_bank_bytes = 2048;
  std::uint64_t array_rows = 128;
  std::uint64_t array_columns = 128;
  std::uint64_t moving_max = 512;  // elements of fp32 results
  std::uint64_t min_tile = 32;     // of the array
  std::uint64_t semaphores = 256;
  std::uint64_t queues = 256;
  bool double_row = false;
  bool sparsity = false;
  bool quantize_mxfp4 = false;  // QMX writes FP4 as well as FP8
  bool hardware_descriptors = false;
  bool dma_transpose = false;
  bool dma_transpose_sbuf = false;     // from SBUF as well
  std::uint64_t priority_classes = 1;  // of DMA queues
  std::uint64_t stacks = 1;            // of HBM, a chip
  std::uint64_t max_cores = 2;
};

// Throws ProgramError "<program>: core C <engine> <mnemonic> ...: what is wrong, what is allowed".
void check_program(const Program& program, const IsaLimits& limits);

}  // namespace trn
