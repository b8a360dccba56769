#include "models/interconnect/topology/rings/walecki.h"

namespace trn {

// Odd n: member n - 1 is the hub, the others stand in a circle of 2m. A ring leaves the hub, zigzags over the
// circle (i, i + 1, i - 1, i + 2, ...) and returns; turning it by one step gives the next. A step of the
// zigzag is told by the sum of its ends, 2i + 1 or 2i modulo 2m, so m turns use every step once. Even n: an
// odd graph with one member more, put where the zigzag is halfway. Its two ends there are always opposite
// each other and the step between them, a diameter, was in one ring only.
std::vector<std::uint32_t> walecki_ring(std::uint32_t members, std::uint32_t index) {
  const bool odd = members % 2 == 1;
  const std::uint32_t circle = odd ? members - 1 : members - 2;
  std::vector<std::uint32_t> ring{circle};  // the hub
  for (std::uint32_t step = 0; step < circle; ++step) {
    const std::uint32_t half = (step + 1) / 2;
    const std::uint32_t turn = step % 2 == 1 ? half : circle - half;
    if (!odd && step == circle / 2) ring.push_back(members - 1);
    ring.push_back((index + turn) % circle);
  }
  return ring;
}

}  // namespace trn
