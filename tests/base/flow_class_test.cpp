// Classes of flows: one shape, one rate, one clock.
#include <gtest/gtest.h>

#include "base/flow/flow_engine.h"

namespace trn {
namespace {

FlowShape over(std::uint32_t resource, double cap = 1e300) {
  FlowShape shape;
  shape.cap = cap;
  shape.uses = {{resource, 1.0}};
  return shape;
}

TEST(FlowClass, OneShapeIsOneClass) {
  FlowEngine engine;
  const std::uint32_t link = engine.add_resource("link", 1.0);
  const FlowClassId a = engine.intern(over(link));
  EXPECT_EQ(engine.intern(over(link)), a);
  EXPECT_NE(engine.intern(over(link, 0.5)), a);
}

// Link of 1 B/ps. A: 1000 B alone until 500 ps, 500 B left. Then B, 300 B, has half: 600 ps, ends at 1100. A
// has 200 B left then and ends at 1300. The link binds A for 1300 ps and B for 600.
TEST(FlowClass, FlowsOfAClassShareItsRate) {
  FlowEngine engine;
  const std::uint32_t link = engine.add_resource("link", 1.0);
  const FlowClassId c = engine.intern(over(link));
  const FlowId a = engine.start(Picoseconds(0), c, Bytes(1000));
  EXPECT_EQ(engine.next_completion(Picoseconds(0)), Picoseconds(1000));
  const FlowId b = engine.start(Picoseconds(500), c, Bytes(300));
  std::vector<FlowId> done;
  ASSERT_EQ(engine.next_completion(Picoseconds(500)), Picoseconds(1100));
  EXPECT_DOUBLE_EQ(engine.rate(a), 0.5);
  engine.take_completed(Picoseconds(1100), done);
  EXPECT_EQ(done, std::vector<FlowId>{b});
  ASSERT_EQ(engine.next_completion(Picoseconds(1100)), Picoseconds(1300));
  engine.take_completed(Picoseconds(1300), done);
  EXPECT_EQ(done, std::vector<FlowId>{a});
  EXPECT_DOUBLE_EQ(engine.report()[link].units_moved, 1300);
  EXPECT_DOUBLE_EQ(engine.report()[link].bound_picoseconds, 1900);
  EXPECT_EQ(engine.report()[link].binding, Picoseconds(1300));
}

// Four flows at 128 GB/s each, whatever the others do: 64 KiB take 512,000 ps and 1 MiB 8,192,000, from any
// start, to the picosecond.
TEST(FlowClass, AnUnchangedRateMovesNoEnd) {
  FlowEngine engine;
  const std::uint32_t link = engine.add_resource("link", 10.0);
  const FlowClassId c = engine.intern(over(link, 0.128));
  engine.start(Picoseconds(0), c, Bytes(1 << 20));
  engine.next_completion(Picoseconds(0));
  std::vector<FlowId> done;
  for (const std::uint64_t start : {1u, 123'457u, 700'001u}) {
    if (start == 700'001) {  // the first two are through by then
      engine.take_completed(Picoseconds(512'001), done);
      ASSERT_EQ(engine.next_completion(Picoseconds(512'001)), Picoseconds(123'457 + 512'000));
      engine.take_completed(Picoseconds(123'457 + 512'000), done);
      ASSERT_EQ(engine.next_completion(Picoseconds(123'457 + 512'000)), Picoseconds(8'192'000));
    }
    engine.start(Picoseconds(start), c, Bytes(1 << 16));
    engine.next_completion(Picoseconds(start));
  }
  ASSERT_EQ(engine.next_completion(Picoseconds(700'001)), Picoseconds(700'001 + 512'000));
  engine.take_completed(Picoseconds(700'001 + 512'000), done);
  EXPECT_EQ(engine.next_completion(Picoseconds(700'001 + 512'000)), Picoseconds(8'192'000));
}

// Flows of two classes that end at once are handed out in the order in which they started.
TEST(FlowClass, EndsAtOneTimeComeInOrderOfStart) {
  FlowEngine engine;
  const FlowClassId a = engine.intern(over(engine.add_resource("a", 1.0)));
  const FlowClassId b = engine.intern(over(engine.add_resource("b", 1.0)));
  std::vector<FlowId> started;
  for (const FlowClassId c : {b, a, a, b}) started.push_back(engine.start(Picoseconds(0), c, Bytes(100)));
  std::vector<FlowId> done;
  ASSERT_EQ(engine.next_completion(Picoseconds(0)), Picoseconds(200));
  engine.take_completed(Picoseconds(200), done);
  EXPECT_EQ(done, started);
}

// Batch after batch of equal flows is solved once; the numbers of the flows are used again and again.
TEST(FlowClass, LockStepIsSolvedOnce) {
  FlowEngine engine;
  const std::uint32_t link = engine.add_resource("link", 1.0);
  const FlowClassId classes[] = {engine.intern(over(link)), engine.intern(over(link, 0.1))};
  std::vector<FlowId> done;
  Picoseconds now;
  for (int batch = 0; batch < 10; ++batch) {
    for (const FlowClassId c : classes)
      for (int i = 0; i < 4; ++i) EXPECT_LT(engine.start(now, c, Bytes(1000)), 8u);
    // 0.1 each at most for four, and what is left of 1, 0.15 each, for the others: 6667 ps, then 10000.
    for (const std::uint64_t after : {6667u, 3333u}) {
      const Picoseconds end = now + Picoseconds(after);
      ASSERT_EQ(engine.next_completion(now), end);
      now = end;
      engine.take_completed(now, done);
      EXPECT_EQ(done.size(), 4);
    }
  }
  EXPECT_EQ(engine.solves(), 2);  // all eight, and the slow four alone
  EXPECT_EQ(engine.recalled(), 18);
}

// The memo tells equal states of different parts of the machine apart.
TEST(FlowClass, EqualStatesElsewhereAreNotRecalled) {
  FlowEngine engine;
  const FlowClassId a = engine.intern(over(engine.add_resource("a", 1.0)));
  const FlowClassId b = engine.intern(over(engine.add_resource("b", 0.25)));
  engine.start(Picoseconds(0), a, Bytes(1000));
  engine.next_completion(Picoseconds(0));
  const FlowId slow = engine.start(Picoseconds(0), b, Bytes(1000));
  engine.next_completion(Picoseconds(0));
  EXPECT_DOUBLE_EQ(engine.rate(slow), 0.25);
}

}  // namespace
}  // namespace trn
