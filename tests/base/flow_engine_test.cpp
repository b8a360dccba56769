// Flows over time, each in a class of its own.
#include "base/flow/flow_engine.h"

#include <gtest/gtest.h>

#include <random>

namespace trn {
namespace {

// Link of 1 B/ps. A: 1000 B alone until 500 ps (500 B left); then A and B (300 B) share: B needs 600 ps, ends
// at 1100; A has 500 - 300 = 200 B left and ends at 1300.
TEST(FlowEngine, SharesOverTime) {
  FlowEngine engine;
  const std::uint32_t link = engine.add_resource("link", 1.0);
  const FlowId a = engine.start(Picoseconds(0), {Bytes(1000), 1, 1e300, 0, {{link, 1.0}}});
  EXPECT_EQ(engine.next_completion(Picoseconds(0)), Picoseconds(1000));
  const FlowId b = engine.start(Picoseconds(500), {Bytes(300), 1, 1e300, 0, {{link, 1.0}}});
  std::vector<FlowId> done;
  ASSERT_EQ(engine.next_completion(Picoseconds(500)), Picoseconds(1100));
  engine.take_completed(Picoseconds(1100), done);
  EXPECT_EQ(done, std::vector<FlowId>{b});
  ASSERT_EQ(engine.next_completion(Picoseconds(1100)), Picoseconds(1300));
  engine.take_completed(Picoseconds(1300), done);
  EXPECT_EQ(done, std::vector<FlowId>{a});
  EXPECT_FALSE(engine.next_completion(Picoseconds(1300)).has_value());
  EXPECT_DOUBLE_EQ(engine.report()[link].units_moved, 1300);
}

// As above, and C (100 B) alone from 2000 ps on. The link binds A for 1300 ps, B for 600 and C for 100,
// together 2000; at least one of them for 1300 + 100. C is not watched, B neither.
TEST(FlowEngine, CountsTheTimeAResourceBindsOnce) {
  FlowEngine engine;
  const std::uint32_t link = engine.add_resource("link", 1.0);
  FlowWatch watch{link, 0, 0};
  std::vector<FlowId> done;
  engine.start(Picoseconds(0), {Bytes(1000), 1, 1e300, 0, {{link, 1.0}}, &watch});
  engine.next_completion(Picoseconds(0));
  engine.start(Picoseconds(500), {Bytes(300), 1, 1e300, 0, {{link, 1.0}}, nullptr});
  engine.next_completion(Picoseconds(500));
  for (const std::uint64_t at : {1100u, 1300u}) {
    engine.take_completed(Picoseconds(at), done);
    engine.next_completion(Picoseconds(at));
  }
  engine.start(Picoseconds(2000), {Bytes(100), 1, 1e300, 0, {{link, 1.0}}, nullptr});
  engine.next_completion(Picoseconds(2000));
  engine.take_completed(Picoseconds(2100), done);
  EXPECT_DOUBLE_EQ(engine.report()[link].bound_picoseconds, 2000);
  EXPECT_EQ(engine.report()[link].binding, Picoseconds(1400));
  EXPECT_EQ(engine.active_time(), Picoseconds(1400));
  EXPECT_DOUBLE_EQ(watch.picoseconds, 1300);
  EXPECT_DOUBLE_EQ(watch.bytes, 1000);
}

// A bus of 12 bytes/ps whose turns cost 0.2 of a byte's time. One way only: 12. Half and half: each byte
// takes 1.2, 10 in all. Reads with three times the weight of writes: a quarter are writes, 2 * 1/4 = half of
// the turns, 1.1 a byte, 12 / 1.1 in all. With room to spare turning costs nothing.
TEST(FlowEngine, ABusPaysForTurningAround) {
  const auto rates = [](double read_weight, double cap) {
    FlowEngine engine;
    const std::uint32_t bus = engine.add_resource("bus", 12);
    FlowSpec read{Bytes(1'000'000), read_weight, cap, 0, {{bus, 1.0, 0.2, 0, 1.0}}};
    FlowSpec write{Bytes(1'000'000), 1, cap, 0, {{bus, 1.0, 0.2, 1, 1.0}}};
    const FlowId r = engine.start(Picoseconds(0), read);
    engine.next_completion(Picoseconds(0));
    EXPECT_DOUBLE_EQ(engine.rate(r), std::min(12.0, cap));
    const FlowId w = engine.start(Picoseconds(0), write);
    engine.next_completion(Picoseconds(0));
    return std::pair{engine.rate(r), engine.rate(w)};
  };
  const double none = std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(rates(1, none).first, 5);
  EXPECT_DOUBLE_EQ(rates(1, none).second, 5);
  EXPECT_DOUBLE_EQ(rates(3, none).first, 0.75 * 12 / 1.1);
  EXPECT_DOUBLE_EQ(rates(3, none).second, 0.25 * 12 / 1.1);
  EXPECT_DOUBLE_EQ(rates(1, 4).first, 4);
}

// Bytes are conserved and no resource is used above its capacity, over random starts.
TEST(FlowEngine, ConservesBytes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    FlowEngine engine;
    for (int r = 0; r < 4; ++r) engine.add_resource("r", static_cast<double>(1 + random() % 8) / 4);
    std::vector<double> expected(4);
    Picoseconds now;
    std::vector<FlowId> done;
    int left = 40;
    for (;;) {
      const Picoseconds start = now + Picoseconds(random() % 400);
      std::optional<Picoseconds> next = engine.next_completion(now);
      if (left > 0 && (!next || start < *next)) {
        now = start;
        FlowSpec spec{Bytes(1 + random() % 5000), static_cast<double>(1 + random() % 4), 1e300, 0, {}};
        for (std::uint32_t r = 0; r < 4; ++r)
          if (random() % 2 == 0 || (r == 3 && spec.uses.empty()))
            spec.uses.push_back({r, static_cast<double>(1 + random() % 3)});
        for (const FlowUse& use : spec.uses)
          expected[use.resource] += use.coefficient * static_cast<double>(spec.bytes.count());
        engine.start(now, spec);
        --left;
      } else if (next) {
        now = *next;
        engine.take_completed(now, done);
      } else {
        break;
      }
    }
    for (std::uint32_t r = 0; r < 4; ++r) {
      EXPECT_NEAR(engine.report()[r].units_moved, expected[r], 1e-9 * expected[r]);
      EXPECT_LE(expected[r], engine.report()[r].capacity * static_cast<double>(now.count()) * (1 + 1e-9));
    }
  }
}

// A link of 1. The urgent flow of 500 B takes all of it until 500 ps; the other waits without a projected end
// and then needs its 200 ps.
TEST(FlowEngine, AStarvedFlowWaits) {
  FlowEngine engine;
  const std::uint32_t link = engine.add_resource("link", 1.0);
  engine.start(Picoseconds(0), {Bytes(500), 1, 1e300, 0, {{link, 1.0}}});
  const FlowId starved = engine.start(Picoseconds(0), {Bytes(200), 1, 1e300, 1, {{link, 1.0}}});
  std::vector<FlowId> done;
  ASSERT_EQ(engine.next_completion(Picoseconds(0)), Picoseconds(500));
  EXPECT_EQ(engine.rate(starved), 0);
  engine.take_completed(Picoseconds(500), done);
  EXPECT_EQ(engine.next_completion(Picoseconds(500)), Picoseconds(700));
}

// Two links that share no flow: what happens on one leaves the other alone.
TEST(FlowEngine, SolvesOnlyWhatAChangeTouches) {
  FlowEngine engine;
  const std::uint32_t a = engine.add_resource("a", 1.0), b = engine.add_resource("b", 1.0);
  engine.start(Picoseconds(0), {Bytes(500), 1, 1e300, 0, {{a, 1.0}}});
  engine.start(Picoseconds(0), {Bytes(600), 1, 1e300, 0, {{b, 1.0}}});
  engine.next_completion(Picoseconds(0));
  EXPECT_EQ(engine.solves(), 2);
  std::vector<FlowId> done;
  engine.take_completed(Picoseconds(500), done);  // nothing is left on a: nothing to solve
  engine.next_completion(Picoseconds(500));
  EXPECT_EQ(engine.solves(), 2);
}

}  // namespace
}  // namespace trn
