// Transfers put before DMA engines directly, without cores: the same ones as flows and packet by packet.
#pragma once

#include <string>
#include <vector>

#include "models/memory/dma/packet_dma.h"

namespace trn {

// A DMA instruction of `program` on a queue of a core, whose first byte may move at `at`.
struct SceneTransfer {
  std::uint32_t core = 0;
  std::uint32_t queue = 0;
  std::size_t instruction = 0;
  Picoseconds at;
  std::uint32_t priority = 0;  // the queue's
};

struct Scene {
  Program program;  // the transfers are the instructions of its Sync engine
  CoreConfig core;
  std::vector<SceneTransfer> transfers;
  std::uint32_t cores = 1;
  std::uint32_t queues = 4;  // of a core
};

// Tensors h, g (HBM) and s, t (SBUF) of bf16, wide enough for every test, and a DMA a line.
Program scene_program(const std::vector<std::string>& dmas);

struct SceneResult {
  std::vector<Picoseconds> done;  // by transfer
  TransferQueues::Totals totals;
  MemoryTotals memory;  // packets only
  TransferTimes times;
};

SceneResult run_as_flows(const Scene& scene, MegabytesPerSecond stack);
SceneResult run_as_packets(const Scene& scene, MemoryPort& memory);

TransferShape shape_of(const Scene& scene, std::size_t transfer);

}  // namespace trn
