// What a finished run says; reports read this and never a model.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/stats/stats.h"
#include "base/units.h"
#include "isa/engine.h"
#include "models/core/engine/core_stats.h"
#include "models/core/engine/wait_attribution.h"
#include "models/memory/dma/transfer_losses.h"
#include "models/memory/hbm/dram_timing.h"

namespace trn {

struct EngineResult {
  std::uint32_t core;
  Engine engine;
  EngineStats stats;
};

struct ResourceResult {
  std::string name;
  double utilization;  // of its capacity over the run
  Picoseconds bound;   // summed over transfers: time during which it was the binding resource
  double binding;      // share of the run during which it bound at least one transfer
  // Bytes a second over the run and the peak; 0 for resources other than DMA engines (without their
  // collectives) and HBM.
  double achieved = 0, peak = 0;
  // HBM: of the time of its bus, lost to rows that were not open and to turning between reads and writes.
  double row_misses = 0, turning = 0;
};

// What the transfers of a region lost, and to what.
struct TransferRegion {
  std::string region;
  TransferTimes times;
  std::string way_out;  // of the main reason
};

// What the channels of the rank's stack did, where they are simulated.
struct HbmChannels {
  std::uint64_t bursts = 0, activations = 0, refreshes = 0;
  double row_hit_rate = 0;
  double busy = 0;                                // share of the run in which the data buses moved data,
  std::array<double, kDramLimits.size()> lost{};  // and waited, by what for
};

// A region's idle time in front of a semaphore on one engine.
struct Stall {
  std::uint32_t core;
  Engine engine;
  std::string region;
  Picoseconds time;
};

// All collectives of one axis and operation.
struct CollectiveSummary {
  std::string axis;
  std::string op;
  std::uint64_t count;
  std::uint64_t bytes;
  Picoseconds time;
};

// One kernel (region) of the rank, all its executions and cores together. The sums over all kernels are the
// run's totals, but for the times: kernels overlap.
struct KernelResult {
  std::string region;
  std::uint64_t instructions = 0;
  std::uint64_t array_flops = 0;
  std::uint64_t transfers = 0;
  Bytes dma_bytes, hbm_read, hbm_write;
  // The union of: a computing engine was in it, from its first instruction there to its last result before
  // another region; one of its transfers was moving. So no kernel is above the machine's ceilings.
  Picoseconds time;
  std::vector<std::string> modes;  // of the array, as in ArrayCeiling
};

// What the rank's arrays can do in one of the modes that the program uses.
struct ArrayCeiling {
  std::string mode;    // "bf16", "fp8_e4m3 double row"
  double flops_per_s;  // of all cores
};

struct RunResult {
  std::string program;
  Picoseconds time;  // until the last instruction and the last transfer are complete
  std::vector<EngineResult> engines;
  std::vector<ResourceResult> resources;
  std::optional<HbmChannels> channels;  // only with HbmModel::kChannel
  std::vector<Stall> stalls;            // longest first
  std::vector<WaitTimes> tensor_waits;  // by core: why the array stood still
  std::vector<CollectiveSummary> collectives;
  std::uint64_t instructions = 0;
  std::uint64_t transfers = 0;
  Bytes dma_bytes, hbm_read, hbm_write;
  Bytes fetched;  // instructions, where their traffic is modelled; not in the bytes above
  Picoseconds dma_active;
  Picoseconds moving;                            // some transfer or collective was moving bytes
  Picoseconds descriptors_only;                  // no transfer was, and the next one had been triggered
  std::vector<TransferRegion> transfer_regions;  // that lost most first
  std::vector<KernelResult> kernels;             // longest first
  std::vector<ArrayCeiling> array_ceilings;      // slowest first
  std::uint64_t model_flops = 0;
  std::uint64_t array_flops = 0;  // counted from the Tensor instructions
  std::uint64_t limiter_activations = 0;

  const EngineResult& engine(std::uint32_t core, Engine engine) const;
  // Busy time of the engine over the run.
  double active(std::uint32_t core, Engine engine) const;
};

// Every figure with name, unit and description: what result.json stores.
std::vector<StatValue> statistics(const RunResult& result);

}  // namespace trn
