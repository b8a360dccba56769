#include "base/units.h"

#include <gtest/gtest.h>

namespace trn {
namespace {

// Property: a clock edge survives the trip to picoseconds and back, at every Trn1/Trn2/Trn3 frequency.
class ClockRoundTrip : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ClockRoundTrip, IsExact) {
  const Clock clock{Megahertz(GetParam())};
  for (const std::uint64_t n : {0ull, 1ull, 7ull, 999'983ull, 123'456'789ull, 6'000'000'000ull})
    EXPECT_EQ(clock.first_edge_at_or_after(clock.time_of(Cycles(n))), Cycles(n));
}

INSTANTIATE_TEST_SUITE_P(EngineClocks, ClockRoundTrip, testing::Values(960, 1120, 1200, 1400, 2400, 2800));

// 3 edges of 2400 MHz: 3 * 10^6 / 2400 = 1250 ps exactly; adding a rounded 416 ps period gives 1248.
TEST(Clock, EdgesDoNotDrift) { EXPECT_EQ((Clock{Megahertz(2400)}.time_of(Cycles(3))), Picoseconds(1250)); }

// 716 GB/s: 716e9 B / 1e12 ps.
TEST(Units, RatesAreDecimal) { EXPECT_DOUBLE_EQ(bytes_per_picosecond(MegabytesPerSecond(716'000)), 0.716); }

}  // namespace
}  // namespace trn
