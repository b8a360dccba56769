#include "models/interconnect/collectives/msccl/msccl_accesses.h"

namespace trn {

void MscclAccesses::read(const MscclSpot& spot, std::uint32_t count, std::uint32_t move,
                         std::vector<std::uint32_t>& after) {
  for (std::uint32_t c = 0; c < count; ++c) {
    Chunk& chunk = at(spot, c);
    if (chunk.writer != kNobody) after.push_back(chunk.writer);
    chunk.readers.push_back(move);
  }
}

void MscclAccesses::write(const MscclSpot& spot, std::uint32_t count, std::uint32_t move,
                          std::vector<std::uint32_t>& after) {
  for (std::uint32_t c = 0; c < count; ++c) {
    Chunk& chunk = at(spot, c);
    if (chunk.writer != kNobody && chunk.writer != move) after.push_back(chunk.writer);
    for (const std::uint32_t reader : chunk.readers)
      if (reader != move) after.push_back(reader);
    chunk.writer = move;
    chunk.readers.clear();
  }
}

}  // namespace trn
