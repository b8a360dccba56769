// Where the time of transfers goes, by reason: what makes them slower than all engines at full rate, and what
// keeps the engines idle before them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/flow/flow_engine.h"
#include "base/interval_set.h"
#include "models/machine_config.h"
#include "models/memory/dma/dma_cost.h"

namespace trn {

enum class TransferLoss {
  kSmallRows,      // engine time per row besides its bytes
  kFewEngines,     // the slowest engine has more than its even share
  kSlowRate,       // a transpose or accumulation below the engine rate
  kSharedEngines,  // other queues and collectives on the same engines
  kHbmStack,       // bound by the HBM stack
  kOneQueue,       // engines idle while descriptors are made, and no other queue has any transfer
  kMaking,         // the same, with software descriptors (one maker a core) or with other queues in use
  kDescriptors,    // engines idle between the trigger and the first byte otherwise
};
inline constexpr std::size_t kTransferLossCount = 8;
inline constexpr std::array<const char*, kTransferLossCount> kTransferLossNames{
    "small rows",         "few engines used", "a transfer below the engine rate",
    "engine sharing",     "the HBM stack",    "descriptors of one queue",
    "making descriptors", "trigger latency"};

// Sums over transfers. With the losses before kOneQueue, ideal + losses = moving exactly; the
// others partition the idle time of the engines that a triggered transfer ended.
struct TransferTimes {
  std::uint64_t transfers = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  Bytes hbm_read, hbm_write;
  IntervalSet in_motion;  // some transfer was, first byte to last
  Picoseconds moving;     // first byte to last byte, as it came to be
  Picoseconds alone;      // as the slowest engine would take with nothing else on the machine
  double ideal = 0;       // ps: the bytes at the full rate of all engines
  std::array<double, kTransferLossCount> lost{};  // ps

  double& at(TransferLoss loss) { return lost[static_cast<std::size_t>(loss)]; }
  double at(TransferLoss loss) const { return lost[static_cast<std::size_t>(loss)]; }

  // A transfer that took `took`; `stack`: for so long, and for so many bytes, the HBM stack bound it.
  void add(const TransferShape& shape, Picoseconds took, const FlowWatch& stack, const DmaConfig& dma);

  double total_lost() const;
  // Moving, and holding up idle engines.
  double total() const;
  // The largest loss; of equal ones the first.
  TransferLoss main_reason() const;
};

// A way out of `loss` in a few words, with the figures that show it: "64 B a row; ...".
std::string way_out(TransferLoss loss, const TransferTimes& times, const DmaConfig& dma);

// The smallest power of two of bytes a row that moves at 90 % of the engine rate or more.
Bytes efficient_row(const DmaConfig& dma);

}  // namespace trn
