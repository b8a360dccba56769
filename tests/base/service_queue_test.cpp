// The clock by which the flows of a class are served.
#include "base/flow/service_queue.h"

#include <gtest/gtest.h>

namespace trn {
namespace {

// 1000 B at 0.3 B/ps: 3333.3 ps, rounded up.
TEST(ServiceQueue, AFlowAloneEndsAtBytesOverRateRoundedUp) {
  ServiceQueue queue;
  queue.join(Picoseconds(7), 0, 0, Bytes(1000));
  EXPECT_EQ(queue.first_end(), Picoseconds::max());  // no rate yet
  queue.set_rate(0.3);
  EXPECT_EQ(queue.first_end(), Picoseconds(7 + 3334));
}

// A, 1000 B, runs at 2 for 100 ps: 800 left. B, 300 B, joins; at 1 each B ends 300 ps later. A: 500 left.
// Until B came, one flow was served, then two.
TEST(ServiceQueue, AShorterFlowOvertakes) {
  ServiceQueue queue;
  queue.join(Picoseconds(0), 0, 10, Bytes(1000));
  queue.set_rate(2);
  queue.join(Picoseconds(100), 1, 11, Bytes(300));
  const ServiceQueue::Served alone = queue.advance(Picoseconds(100));
  EXPECT_DOUBLE_EQ(alone.bytes, 200);
  EXPECT_DOUBLE_EQ(alone.picoseconds, 100);
  queue.set_rate(1);
  EXPECT_EQ(queue.first_end(), Picoseconds(400));
  std::vector<ServiceQueue::Entry> ended;
  const ServiceQueue::Served together = queue.take(Picoseconds(400), ended);
  EXPECT_DOUBLE_EQ(together.bytes, 600);
  EXPECT_DOUBLE_EQ(together.picoseconds, 600);
  ASSERT_EQ(ended.size(), 1);
  EXPECT_EQ(ended[0].flow, 11u);
  EXPECT_EQ(queue.first_end(), Picoseconds(900));
}

// 300,000 flows of 1000 B, two at a time, each started when the one before the last ends; never empty. At 0.5
// each the k-th of a lane ends at 2000 k (+ 1000 for the second lane), on the picosecond after 150 MB on the
// clock.
TEST(ServiceQueue, ALongLivedClockStaysExact) {
  ServiceQueue queue;
  queue.join(Picoseconds(0), 0, 0, Bytes(1000));
  queue.set_rate(0.5);
  queue.join(Picoseconds(1000), 1, 1, Bytes(1000));
  std::vector<ServiceQueue::Entry> ended;
  for (std::uint64_t n = 2; n < 300'000; ++n) {
    ended.clear();
    const Picoseconds end(1000 * n);
    ASSERT_EQ(queue.first_end(), end);
    queue.take(end, ended);
    ASSERT_EQ(ended.size(), 1);
    queue.join(end, n, 0, Bytes(1000));
  }
}

}  // namespace
}  // namespace trn
