#include "base/interval_set.h"

#include <gtest/gtest.h>

#include <bitset>
#include <random>

namespace trn {
namespace {

Picoseconds ps(std::uint64_t n) { return Picoseconds(n); }

// [0, 10) and [5, 20) are 20 together; [30, 31) adds 1; an empty one nothing.
TEST(IntervalSet, CountsWhatIsCoveredOnce) {
  IntervalSet set;
  set.add(ps(5), ps(20));
  set.add(ps(0), ps(10));
  set.add(ps(30), ps(31));
  set.add(ps(40), ps(40));
  EXPECT_EQ(set.covered(), ps(21));
  EXPECT_EQ(IntervalSet().covered(), ps(0));
}

TEST(IntervalSet, ContinuesAnIntervalAtItsEndAndAtItsBegin) {
  IntervalSet set;
  set.add(ps(10), ps(20));
  set.add(ps(20), ps(25));
  set.add(ps(5), ps(10));
  EXPECT_EQ(set.covered(), ps(20));
}

// Against one bit a picosecond, past several merges.
TEST(IntervalSet, IsTheUnionOfIntervalsInAnyOrder) {
  constexpr std::size_t kSpan = 1 << 16;
  std::mt19937_64 random(7);
  IntervalSet set;
  IntervalSet other;
  std::bitset<kSpan + 64> bits;
  for (int i = 0; i < 6000; ++i) {
    const std::uint64_t begin = random() % kSpan;
    const std::uint64_t length = random() % 4;
    (i % 2 == 0 ? set : other).add(ps(begin), ps(begin + length));
    for (std::uint64_t t = begin; t < begin + length; ++t) bits.set(t);
  }
  set.add(other);
  EXPECT_EQ(set.covered(), ps(bits.count()));
}

}  // namespace
}  // namespace trn
