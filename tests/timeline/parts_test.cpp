// What timelines are put together from: windows, lanes, series, memory in use, regions, waits.
#include <gtest/gtest.h>

#include "base/error.h"
#include "sim/timeline/binned_series.h"
#include "sim/timeline/lanes.h"
#include "sim/timeline/memory_use.h"
#include "sim/timeline/pending_posts.h"
#include "sim/timeline/region_tracker.h"
#include "sim/timeline/resource_rates.h"
#include "sim/timeline/time_window.h"

namespace trn {
namespace {

Picoseconds ps(std::uint64_t t) { return Picoseconds(t); }

TEST(TimeWindow, ReadsTimesWithTheirUnits) {
  const TimeWindow w = parse_time_window("--w", "1.5us:2ms");
  EXPECT_EQ(w.from, ps(1'500'000));
  EXPECT_EQ(w.to, ps(2'000'000'000));
  EXPECT_EQ(parse_time_window("--w", "0us:200us").to, ps(200'000'000));
  EXPECT_EQ(parse_time_window("--w", "7ps:0.001s").to, ps(1'000'000'000));
  EXPECT_EQ(parse_time_window("--w", ":3ns").from, ps(0));
  EXPECT_EQ(parse_time_window("--w", "3ns:").to, Picoseconds::max());
  EXPECT_TRUE(parse_time_window("--w", ":").whole());
}

TEST(TimeWindow, NonsenseIsToldWithTheOption) {
  for (const char* text :
       {"", "3", "0:3", "us:1us", "1us:2us:3us", "-1us:2us", "1e3us:2us", "1..2us:3us", "5us:5us", "5us:4us",
        "1 us:2us", "0xus:1us", ".us:1us", "nan:inf", "1us:2hours", "1s:99999999999999s", "1us:2us "}) {
    try {
      parse_time_window("--timeline-window", text);
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("--timeline-window", 0), 0u) << error.what();
    }
  }
}

TEST(TimeWindow, WritesWhatItReads) {
  for (const std::uint64_t t : {0ull, 1ull, 999ull, 1'000ull, 1'234ull, 25'265'174ull, 2'585'000'000'001ull})
    EXPECT_EQ(parse_time_window("--w", ":" + window_time(ps(t + 1))).to, ps(t + 1));
  EXPECT_EQ(window_time(ps(1'500'000)), "1.5us");
  EXPECT_EQ(window_time(ps(1'000'001)), "1.000001us");
}

TEST(TimeWindow, HoldsWhatReachesIntoIt) {
  const TimeWindow w{ps(100), ps(200)};
  EXPECT_FALSE(w.overlaps(ps(0), ps(100)));
  EXPECT_TRUE(w.overlaps(ps(0), ps(101)));
  EXPECT_TRUE(w.overlaps(ps(199), ps(300)));
  EXPECT_FALSE(w.overlaps(ps(200), ps(300)));
  EXPECT_TRUE(w.overlaps(ps(100), ps(100)));  // of no length
}

TEST(RankList, ReadsRanksAndRanges) {
  EXPECT_EQ(parse_rank_list("--r", "3,0"), (std::vector<std::uint64_t>{0, 3}));
  EXPECT_EQ(parse_rank_list("--r", "2-4,3"), (std::vector<std::uint64_t>{2, 3, 4}));
  for (const char* text : {"", ",", "1,", "-1", "1-", "3-1", "a", "0x1", "1 2", "99999999999", "0-1000000"})
    EXPECT_THROW(parse_rank_list("--r", text), UsageError) << text;
}

// A public report of slices on one track whose ends a viewer swaps: 0-100, 100-200, 200-300, 280-350,
// 360-400. The fourth overlaps the third; the fifth is free of both.
TEST(Lanes, OverlappingSlicesGetOneOfTheirOwn) {
  Lanes lanes;
  EXPECT_EQ(lanes.take(ps(0), ps(100)), 0u);
  EXPECT_EQ(lanes.take(ps(100), ps(200)), 0u);
  EXPECT_EQ(lanes.take(ps(200), ps(300)), 0u);
  EXPECT_EQ(lanes.take(ps(280), ps(350)), 1u);
  EXPECT_EQ(lanes.take(ps(360), ps(400)), 0u);
}

TEST(BinnedSeries, KeepsTheSumHoweverLongTheRun) {
  BinnedSeries series{TimeWindow{}};
  double expected = 0;
  std::uint64_t t = 0;
  for (int i = 1; i <= 2000; ++i) {  // 2000 intervals of i^2 ps at a rate of i: sum of i^3
    const auto length = static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(i);
    series.add(ps(t), ps(t + length), i);
    expected += static_cast<double>(length) * i;
    t += length;
  }
  double sum = 0;
  for (const double bin : series.bins()) sum += bin;
  EXPECT_NEAR(sum / expected, 1, 1e-12);
  EXPECT_LE(series.bins().size(), BinnedSeries::kBins);
  // The shortest power of two times the first width with which the bins reach: t = 2,668,667,000 ps.
  EXPECT_EQ(t, 2'668'667'000u);
  EXPECT_EQ(series.width().count(), 1024u * 1024u);  // 4096 x 2^19 ps = 2.1e9 is too short
}

TEST(BinnedSeries, ShowsTheWindowOnly) {
  BinnedSeries series{TimeWindow{ps(1000), ps(3048)}};  // two bins
  series.add(ps(0), ps(10'000), 2);
  ASSERT_EQ(series.bins().size(), 2u);
  EXPECT_EQ(series.mean(0), 2);
  EXPECT_EQ(series.mean(1), 2);
  EXPECT_EQ(series.begin_of(1), ps(2024));
}

Program two_tensors() {
  Program p;
  TensorDecl a;
  a.name = "a", a.space = Space::kSbuf, a.dtype = DType::kBf16,
  a.dims = {128, 512};  // 1024 bytes a partition
  TensorDecl b = a;
  b.name = "b", b.address = 512;  // its first half is the second half of a
  p.tensors = {a, b};
  return p;
}

double total(const BinnedSeries& series) {
  double sum = 0;
  for (const double bin : series.bins()) sum += bin;
  return sum;
}

// Written over [0, 10], read twice, the last time until 50: 128 x 1024 bytes for 50 ps. Then written anew
// from 80 on and never read.
TEST(MemoryUse, CountsFromTheFirstWriteToTheLastRead) {
  const Program program = two_tensors();
  MemoryUse use(program, Space::kSbuf, {});
  use.access(0, true, ps(0), ps(10));
  use.access(0, false, ps(10), ps(20));
  use.access(0, false, ps(40), ps(50));
  use.access(0, true, ps(80), ps(90));
  use.finish();
  EXPECT_DOUBLE_EQ(total(use.bytes()), 128.0 * 1024 * (50 + 10));
}

// What two tensors share counts once: a (all of 1024 B) over [0, 30], b over [40, 60]: 1536 bytes between
// them.
TEST(MemoryUse, TensorsInOnePlaceFollowEachOther) {
  const Program program = two_tensors();
  MemoryUse use(program, Space::kSbuf, {});
  use.access(0, true, ps(0), ps(10));
  use.access(0, false, ps(20), ps(30));
  use.access(1, true, ps(40), ps(50));
  use.access(1, false, ps(50), ps(60));
  use.finish();
  EXPECT_DOUBLE_EQ(total(use.bytes()), 128.0 * (1024 * 30 + 1024 * 20));
  // Read under the other name: still the same bytes.
  MemoryUse alias(program, Space::kSbuf, {});
  alias.access(0, true, ps(0), ps(10));
  alias.access(1, false, ps(20), ps(30));  // 512 bytes of a, and 512 that nobody wrote
  alias.finish();
  EXPECT_DOUBLE_EQ(total(alias.bytes()), 128.0 * (512 * 10 + 512 * 30 + 512 * 10));
}

// Posts at 100, 200 and 300. A wait that was over at 200, on a clock of 10 ps: the second; no other wait is.
TEST(PendingPosts, FindsThePostThatEndedAWait) {
  PendingPosts posts(1);
  posts.post(0, ps(100), 1);
  posts.post(0, ps(200), 2);
  posts.post(0, ps(300), 3);
  EXPECT_EQ(posts.ended(0, ps(207), ps(10)).arrow, 2u);
  EXPECT_EQ(posts.ended(0, ps(208), ps(10)).arrow, 0u);  // told once
  EXPECT_EQ(posts.ended(0, ps(250), ps(10)).arrow, 0u);  // an engine's post
  EXPECT_EQ(posts.ended(0, ps(300), ps(10)).arrow, 3u);
}

struct Regions {
  std::vector<RegionTracker::Pass> done;
  RegionTracker tracker{[this](const RegionTracker::Pass& pass) { done.push_back(pass); }};
  void issue(Engine engine, std::uint32_t region, std::uint64_t start, std::uint64_t end) {
    tracker.issued(engine, region, ps(start), ps(end));
  }
  std::vector<std::uint64_t> times(std::uint32_t region) const {
    std::vector<std::uint64_t> out;
    for (const RegionTracker::Pass& pass : done)
      if (pass.region == region) out.insert(out.end(), {pass.begin.count(), pass.end.count()});
    return out;
  }
};

// Loads run a region ahead: Sync is in region 1 from 20 on, and back in region 0 at 60, before Tensor has
// left it.
TEST(RegionTracker, EnginesThatRunAheadAreInTheNextPass) {
  Regions r;
  r.issue(Engine::kSync, 0, 0, 5);
  r.issue(Engine::kTensor, 0, 10, 30);
  r.issue(Engine::kSync, 1, 20, 25);
  r.issue(Engine::kTensor, 0, 30, 70);
  r.issue(Engine::kSync, 0, 60, 65);  // second pass
  r.issue(Engine::kTensor, 1, 70, 90);
  r.issue(Engine::kSync, 1, 80, 85);
  r.issue(Engine::kTensor, 0, 100, 130);
  r.tracker.finish();
  EXPECT_EQ(r.times(0), (std::vector<std::uint64_t>{0, 70, 60, 130}));
  EXPECT_EQ(r.times(1), (std::vector<std::uint64_t>{20, 90, 80, 85}));
}

TEST(RegionTracker, ATransferKeepsItsRegionOpen) {
  Regions r;
  r.issue(Engine::kSync, 0, 0, 5);
  RegionTracker::Pass* const pass = r.tracker.transfer_triggered(Engine::kSync);
  r.issue(Engine::kSync, 1, 10, 15);
  r.issue(Engine::kVector, 0, 400, 450);  // the one under way, though Sync has left it
  r.tracker.transfer_done(pass, ps(500));
  r.tracker.finish();
  EXPECT_EQ(r.times(0), (std::vector<std::uint64_t>{0, 500}));
}

// Two transfers of a memory that is read at 3/4 of the payload: 2 bytes a ps over [0, 100], then 1 over [100,
// 200].
TEST(ResourceRates, AddUpToTheBytes) {
  ResourceRates rates{TimeWindow{}};
  rates.watch(7);
  FlowShape shape;
  FlowUse use{7, 1.5};
  use.payload = 1;
  use.write_share = 0.25;
  shape.uses = {use, {8, 1}};
  rates.rate_changed(3, shape, true, 2, ps(0));
  rates.rate_changed(3, shape, true, 1, ps(100));
  rates.rate_changed(3, shape, true, 0, ps(200));
  EXPECT_DOUBLE_EQ(total(rates.rate(7).read), 300 * 0.75);
  EXPECT_DOUBLE_EQ(total(rates.rate(7).written), 300 * 0.25);
  EXPECT_TRUE(rates.rate(7).used.bins().empty());
}

}  // namespace
}  // namespace trn
