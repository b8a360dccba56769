// Which rates went with which flows: what has been solved once is not solved again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/flow/flow_spec.h"
#include "base/flow/mix.h"
#include "base/flow/turning_solver.h"

namespace trn {

// So many flows of a class are active.
struct ClassCount {
  FlowClassId flow_class;
  std::uint32_t count;
};

// Rates depend on which classes of a connected component are active with how many flows, and on nothing else.
// In lock-step, when every batch of ends is followed by an equal batch of starts, few such states exist.
class RateMemo {
 public:
  struct Entry {
    std::vector<ClassCount> members;
    TurningSolver::Result result;
  };

  // Independent of order: add up the keys of all members.
  static std::uint64_t key(ClassCount member) {
    return mix(std::uint64_t{member.flow_class} << 32 | member.count);
  }

  // For the component of these classes, of which `flows(class)` are active.
  template <class Flows>
  const Entry* find(std::uint64_t key, const std::vector<FlowClassId>& component, Flows flows) const {
    const auto [first, last] = entries_.equal_range(key);
    for (auto it = first; it != last; ++it) {
      const std::vector<ClassCount>& members = it->second.members;
      const auto as_now = [&](const ClassCount& m) { return flows(m.flow_class) == m.count; };
      // As many, all active, hence connected as they were: the same component if one of them is in it.
      if (members.size() == component.size() && std::all_of(members.begin(), members.end(), as_now) &&
          std::find(component.begin(), component.end(), members.front().flow_class) != component.end())
        return &it->second;
    }
    return nullptr;
  }
  void add(std::uint64_t key, Entry entry);

 private:
  std::unordered_multimap<std::uint64_t, Entry> entries_;
  std::size_t stored_ = 0;  // in members
};

}  // namespace trn
