// Shapes of flows, each stored and numbered once.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/flow/flow_spec.h"

namespace trn {

class FlowShapes {
 public:
  FlowClassId intern(const FlowShape& shape) {
    const std::uint64_t key = hash(shape);
    const auto [first, last] = by_hash_.equal_range(key);
    for (auto it = first; it != last; ++it)
      if (shapes_[it->second] == shape) return it->second;
    const auto id = static_cast<FlowClassId>(shapes_.size());
    shapes_.push_back(shape);
    by_hash_.emplace(key, id);
    return id;
  }
  const FlowShape& operator[](FlowClassId id) const { return shapes_[id]; }

 private:
  std::vector<FlowShape> shapes_;
  std::unordered_multimap<std::uint64_t, FlowClassId> by_hash_;
};

}  // namespace trn
