// What the engines of a rank did for each region of its program, counted when an engine leaves a region: the
// hot path pays a comparison.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interval_set.h"
#include "models/core/engine/core_stats.h"

namespace trn {

struct RegionWork {
  std::uint64_t instructions = 0;
  std::uint64_t flops = 0;  // executed by the array
  IntervalSet visits;  // of the engines that compute: from first issue to last result before another region
};

// One engine's present stay in a region.
inline constexpr std::uint32_t kNoRegion = 0xffffffffu;  // before its first instruction
struct RegionVisit {
  std::uint32_t region = kNoRegion;
  Picoseconds entered;             // issue of the first instruction
  std::uint64_t instructions = 0;  // the engine's counters when it entered
  std::uint64_t flops = 0;
};

inline void add_visit(const RegionVisit& visit, const EngineStats& now, Picoseconds complete, bool computes,
                      std::vector<RegionWork>& regions) {
  if (visit.region == kNoRegion) return;
  RegionWork& work = regions[visit.region];
  work.instructions += now.instructions - visit.instructions;
  work.flops += now.flops - visit.flops;
  if (computes) work.visits.add(visit.entered, complete);
}

}  // namespace trn
