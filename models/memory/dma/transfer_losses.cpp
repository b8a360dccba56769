#include "models/memory/dma/transfer_losses.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"

namespace trn {
namespace {

std::string row_text(std::uint64_t bytes) {
  return bytes < 1024 ? std::to_string(bytes) + " B" : std::to_string(bytes / 1024) + " KiB";
}

double ps(Picoseconds t) { return static_cast<double>(t.count()); }

}  // namespace

void TransferTimes::add(const TransferShape& shape, Picoseconds took, const FlowWatch& stack,
                        const DmaConfig& dma) {
  const double size = static_cast<double>(shape.bytes.count());
  const double even = size / (bytes_per_picosecond(dma.engine_rate) * static_cast<double>(dma.engines));
  const double by_bytes = ps(shape.slowest_engine) - ps(shape.row_time) - ps(shape.slow_rate_time);
  // What the stack let through would have taken the slowest engine its share of the time alone.
  const double by_stack = stack.picoseconds - stack.bytes * ps(shape.slowest_engine) / size;
  ++transfers;
  rows += shape.rows;
  bytes += shape.bytes.count();
  hbm_read += shape.hbm_read;
  hbm_write += shape.hbm_write;
  moving += took;
  alone += shape.slowest_engine;
  ideal += even;
  at(TransferLoss::kSmallRows) += ps(shape.row_time);
  at(TransferLoss::kFewEngines) += by_bytes - even;
  at(TransferLoss::kSlowRate) += ps(shape.slow_rate_time);
  at(TransferLoss::kHbmStack) += by_stack;
  at(TransferLoss::kSharedEngines) += ps(took) - ps(shape.slowest_engine) - by_stack;
}

double TransferTimes::total_lost() const { return std::accumulate(lost.begin(), lost.end(), 0.0); }

double TransferTimes::total() const {
  return ps(moving) + at(TransferLoss::kOneQueue) + at(TransferLoss::kMaking) +
         at(TransferLoss::kDescriptors);
}

TransferLoss TransferTimes::main_reason() const {
  return static_cast<TransferLoss>(std::max_element(lost.begin(), lost.end()) - lost.begin());
}

Bytes efficient_row(const DmaConfig& dma) {
  const double overhead = ps(dma.row_overhead) * bytes_per_picosecond(dma.engine_rate);
  std::uint64_t row = 1;
  while (static_cast<double>(row) < 9 * overhead) row *= 2;
  return Bytes(row);
}

std::string way_out(TransferLoss loss, const TransferTimes& times, const DmaConfig& dma) {
  switch (loss) {
    case TransferLoss::kSmallRows:
      return row_text(times.rows == 0 ? 0 : times.bytes / times.rows) + " a row; " +
             row_text(efficient_row(dma).count()) + " and more move at over 90 % of the rate";
    case TransferLoss::kFewEngines: {
      const double used = static_cast<double>(dma.engines) * times.ideal /
                          (times.ideal + times.at(TransferLoss::kFewEngines));
      return "as if on " + std::to_string(std::lround(used)) + " of " + std::to_string(dma.engines) +
             " engines; transfers over all partitions use all";
    }
    case TransferLoss::kSlowRate:
      return "transposing and accumulating take longer; copy, and do it on a compute engine";
    case TransferLoss::kSharedEngines:
      return "other queues and collectives move at the same time; only fewer bytes help";
    case TransferLoss::kHbmStack:
      return "cores and collectives want more than it gives; only fewer HBM bytes help";
    case TransferLoss::kOneQueue:
      return "one engine makes them all; spread transfers over queues of two engines, or make them larger";
    case TransferLoss::kMaking:
      return "each transfer takes its maker a fixed time; fewer and larger ones, or static descriptors";
    case TransferLoss::kDescriptors:
      return "trigger to first byte is exposed; trigger earlier, with more buffers in flight, or make "
             "transfers larger";
  }
  return {};
}

}  // namespace trn
