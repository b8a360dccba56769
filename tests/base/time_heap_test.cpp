// The heap of next events, against a sorted set.
#include "base/flow/time_heap.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace trn {
namespace {

TEST(TimeHeap, AlwaysKnowsTheEarliest) {
  std::mt19937_64 random(1);
  TimeHeap heap;
  std::map<std::uint32_t, std::uint64_t> at;
  std::multiset<std::uint64_t> sorted;
  for (int step = 0; step < 20'000; ++step) {
    const auto item = static_cast<std::uint32_t>(random() % 50);
    if (const auto old = at.find(item); old != at.end()) {
      sorted.erase(sorted.find(old->second));
      at.erase(old);
    }
    if (random() % 3 == 0) {
      heap.remove(item);
    } else {
      const std::uint64_t time = random() % 40;
      heap.set(item, Picoseconds(time));
      at[item] = time;
      sorted.insert(time);
    }
    ASSERT_EQ(heap.empty(), sorted.empty());
    if (heap.empty()) continue;
    ASSERT_EQ(heap.time(), Picoseconds(*sorted.begin()));
    ASSERT_EQ(at.at(heap.item()), *sorted.begin());
  }
}

}  // namespace
}  // namespace trn
