// Where the chunks of a rank's three buffers are.
#pragma once

#include <array>

#include "models/interconnect/collectives/msccl/msccl_program.h"

namespace trn {

// In place, input and output are one memory: as a rank's share of the gathered or scattered data where one of
// the two is that small, else from the same start. Its chunks are then all named as input.
class MscclMemory {
 public:
  explicit MscclMemory(const MscclProgram& program);

  std::size_t gpus() const { return ranks_.size(); }
  MscclPlace locate(std::uint32_t gpu, const MscclPlace& place) const;
  std::uint32_t chunks(std::uint32_t gpu, MscclBuffer buffer) const {
    return ranks_[gpu].chunks[static_cast<std::size_t>(buffer)];
  }
  // More scratch: the first of `count` new chunks.
  MscclPlace add_scratch(std::uint32_t gpu, std::uint32_t count);

 private:
  struct Rank {
    std::array<std::uint32_t, 3> chunks, first;  // by buffer
    bool joined;
  };
  std::string file_;
  std::vector<Rank> ranks_;
};

}  // namespace trn
