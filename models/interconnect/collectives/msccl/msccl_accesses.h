// Who touched which chunk last.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "models/interconnect/collectives/msccl/msccl_operations.h"

namespace trn {

class MscclAccesses {
 public:
  explicit MscclAccesses(std::size_t gpus) : chunks_(gpus) {}

  // Adds to `after` what must be complete before.
  void read(const MscclSpot& spot, std::uint32_t count, std::uint32_t move,
            std::vector<std::uint32_t>& after);
  void write(const MscclSpot& spot, std::uint32_t count, std::uint32_t move,
             std::vector<std::uint32_t>& after);

 private:
  static constexpr std::uint32_t kNobody = 0xFFFFFFFF;
  struct Chunk {
    std::uint32_t writer = kNobody;
    std::vector<std::uint32_t> readers;  // since then
  };
  Chunk& at(const MscclSpot& spot, std::uint32_t offset) {
    return chunks_[spot.gpu][static_cast<std::size_t>(spot.place.buffer)][spot.place.chunk + offset];
  }
  std::vector<std::array<std::unordered_map<std::uint32_t, Chunk>, 3>> chunks_;  // by gpu and buffer
};

}  // namespace trn
