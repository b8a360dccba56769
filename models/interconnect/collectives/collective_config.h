// The device side of collectives, and which algorithm is taken when.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/config/config_node.h"
#include "base/units.h"

namespace trn {

// By size: names[i] up to limits[i] bytes, the last one above. A name may list several, as in
// "kangaring/ring": the first that suits the group is taken.
struct AlgorithmTable {
  std::vector<std::uint64_t> limits;
  std::vector<std::string> inside;   // all-reduce and its halves
  std::vector<std::string> rooted;   // broadcast and reduce
  std::vector<std::string> between;  // domains; "flat" with rings inside: one ring through all

  const std::string& pick(const std::vector<std::string>& names, std::uint64_t bytes) const;
};

struct CollectiveConfig {
  Picoseconds step_latency;   // from the arrival of data to the first byte of the step that waits for it
  Picoseconds start_latency;  // from the trigger to the first step
  Picoseconds trigger;        // a CC-core's time for one step of one rank
  Bytes packet;               // arbitration weight of tensor-parallel collectives
  Bytes data_packet;          // and of the others
  std::uint64_t streams;
  std::uint64_t ring_slices;      // of each block on a ring, at least
  std::uint64_t slices;           // of other collectives, at most
  std::uint64_t min_slice_bytes;  // of what is sliced, before it is spread over the chips
  AlgorithmTable automatic;

  // `automatic` is the shape's, or the default one. ConfigError with the path.
  static CollectiveConfig parse(ConfigNode node, const std::string& shape);
};

}  // namespace trn
