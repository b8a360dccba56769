// A collective as data: what every chip sends in which step, and what must have happened before.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/program.h"
#include "models/interconnect/topology/topology.h"

namespace trn {

enum class Move : std::uint8_t {
  kRing,      // to the next chip of a ring dimension, in direction + or -
  kExchange,  // one share to each other chip of a switch or cable dimension
  kAllToAll,  // one share to each other chip of the machine, minimal balanced routes
  kLocal      // inside the chip
};

// The same on every chip. `bytes` are what one chip sends; the factors say what that costs its memory: HBM
// bytes touched and DMA engine bytes, each a byte sent, counting this chip's side of what it receives as
// well.
struct ScheduleStep {
  Move move = Move::kLocal;
  std::uint32_t dimension = 0;
  bool forward = true;  // kRing
  double bytes = 0;
  double hbm_per_byte = 0;
  double dma_per_byte = 0;
  double ring_share = 1;                // of its DMA ring's turn: the steps of a chain share one ring
  std::vector<std::uint32_t> received;  // steps whose data must have arrived here
  std::vector<std::uint32_t> own;       // steps this chip must have finished sending (the ring's order)
};

struct Schedule {
  std::vector<ScheduleStep> steps;  // dependencies point backwards
  double link_bytes = 0;            // sent by a chip, all steps
};

struct CollectiveShape {
  CollectiveOp op = CollectiveOp::kAllReduce;
  // nccom-test's size: all-reduce buffer, gathered output, reduce-scatter or all-to-all input of one rank.
  std::uint64_t bytes = 0;
  std::uint64_t ranks_per_chip = 1;
  std::uint64_t slices = 16;  // at most
  std::uint64_t min_slice_bytes = 262144;
  std::uint64_t reduce_slowdown = 1;  // DMA-compute against copy
};

// Balanced rotated buckets for all-reduce, all-gather and reduce-scatter; direct for all-to-all.
Schedule make_schedule(const CollectiveShape& shape, const Topology& topology);

// The ranks of one chip among themselves, through HBM: what one rank does. `bytes` as in CollectiveShape.
Schedule make_chip_schedule(CollectiveOp op, std::uint64_t bytes, std::uint64_t ranks,
                            std::uint64_t reduce_slowdown);

// Shares of the data over the orders of dimensions in which the most loaded link is least loaded.
struct BucketOrder {
  std::vector<std::uint32_t> dimensions;
  double share;
};
std::vector<BucketOrder> balanced_orders(const Topology& topology);

}  // namespace trn
