// Random machines, groups and collectives; the same for the same seed.
#pragma once

#include <random>

#include "tests/support/collective_scene.h"

namespace trn {

struct RandomScene {
  MachineConfig machine;
  Group group = Group::whole(1, 1);
  CollectiveTask task;
  std::vector<Picoseconds> delay;  // by rank, or none
  std::string what;                // for messages
};

class SceneGenerator {
 public:
  explicit SceneGenerator(std::uint64_t seed) : random_(seed) {}
  RandomScene next();
  // Both included.
  std::uint64_t pick(std::uint64_t from, std::uint64_t to);
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[pick(0, i - 1)]);
  }
  // Chips, switches and cables at random, connected both ways.
  FabricConfig graph();

 private:
  bool one_in(std::uint64_t n) { return pick(1, n) == 1; }
  MegabytesPerSecond rate() { return MegabytesPerSecond(pick(1000, 512'000)); }
  Picoseconds latency() { return one_in(4) ? Picoseconds(0) : Picoseconds(pick(1, 2'000'000)); }
  FabricConfig fabric();
  FabricConfig torus();
  FabricConfig switched();
  void break_a_link(FabricConfig& config);
  void change_rates(MachineConfig& machine);
  Group group(std::uint32_t chips);
  CollectiveTask task(std::uint32_t ranks);

  std::mt19937_64 random_;
  std::uint32_t domains_ = 1;
};

}  // namespace trn
