// Flows one after the other.
#include "base/flow/fifo_mover.h"

#include <gtest/gtest.h>

namespace trn {
namespace {

// A link of 1 B/ps: A, 1000 B, until 1000; B, 300 B, came at 500 and waits: 1300.
TEST(FifoMover, ServesInOrderOfArrival) {
  FifoMover mover;
  const std::uint32_t link = mover.add_resource("link", 1.0);
  FlowShape shape;
  shape.uses = {{link, 1.0}};
  const FlowClassId c = mover.intern(shape);
  const FlowId a = mover.start(Picoseconds(0), c, Bytes(1000));
  const FlowId b = mover.start(Picoseconds(500), c, Bytes(300));
  std::vector<FlowId> done;
  ASSERT_EQ(mover.next_completion(Picoseconds(500)), Picoseconds(1000));
  mover.take_completed(Picoseconds(1000), done);
  EXPECT_EQ(done, std::vector<FlowId>{a});
  ASSERT_EQ(mover.next_completion(Picoseconds(1000)), Picoseconds(1300));
  mover.take_completed(Picoseconds(1300), done);
  EXPECT_EQ(done, std::vector<FlowId>{b});
  EXPECT_FALSE(mover.next_completion(Picoseconds(1300)).has_value());
}

// A takes 100 ps of x (2 B/ps) and 400 ps of y (1 B/ps, twice a byte). B needs x alone: it starts at 100 and
// takes 50. C needs both, and waits for y until 400.
TEST(FifoMover, AFlowEndsWithItsSlowestResourceAndLeavesTheOthersEarlier) {
  FifoMover mover;
  const std::uint32_t x = mover.add_resource("x", 2.0), y = mover.add_resource("y", 1.0);
  mover.start(Picoseconds(0), FlowSpec{Bytes(200), 1, 1e300, 0, {{x, 1.0}, {y, 2.0}}});
  mover.start(Picoseconds(0), FlowSpec{Bytes(100), 1, 1e300, 0, {{x, 1.0}}});
  mover.start(Picoseconds(0), FlowSpec{Bytes(10), 1, 1e300, 0, {{x, 1.0}, {y, 1.0}}});
  std::vector<FlowId> done;
  Picoseconds now;
  for (const std::uint64_t end : {150u, 400u, 410u}) {
    ASSERT_EQ(mover.next_completion(now), Picoseconds(end));
    now = Picoseconds(end);
    mover.take_completed(now, done);
  }
}

}  // namespace
}  // namespace trn
