// What a collective has to do, before an algorithm is chosen.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "isa/program.h"

namespace trn {

inline constexpr std::uint64_t kBarrierBytes = 4;  // of a signal

struct CollectiveTask {
  CollectiveOp op = CollectiveOp::kAllReduce;
  // nccom-test's size: the buffer of all-reduce, broadcast, reduce, permute and send; the gathered output;
  // the input of reduce-scatter, scatter and all-to-all of one rank.
  std::uint64_t bytes = 0;
  std::uint64_t granule = 1;  // blocks are cut at multiples of it: an element's size
  std::uint32_t root = 0;     // of rooted operations; the sender of kSendReceive
  std::int64_t shift = 1;     // kPermute: rank r sends to r + shift; kSendReceive: the root does
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      pairs;  // kPermute: who sends to whom instead of a shift
  // all_gather, reduce_scatter, gather and scatter of uneven blocks: each rank's bytes; all_to_all: bytes of
  // [from * ranks + to]. Empty: even.
  std::vector<std::uint64_t> sizes;

  // Pipelining: at most so many slices, none smaller than this before it is spread over the ranks.
  std::uint64_t slices = 256;
  std::uint64_t min_slice_bytes = 262144;
  std::uint64_t packet_bytes = 65536;  // a DMA packet's most: no slice of a block is smaller than one
  std::uint64_t ring_slices = 2;       // of each block on a ring of all ranks, at least
};

}  // namespace trn
