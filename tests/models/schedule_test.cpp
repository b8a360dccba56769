// Every algorithm on data: every rank ends with exactly the right bytes, in any order the dependencies allow.
#include <gtest/gtest.h>

#include "models/interconnect/collectives/algorithms/algorithm.h"
#include "models/interconnect/collectives/schedule/data_run.h"

namespace trn {
namespace {

// Chips in a box of dimensions, last one fastest, rings where asked for.
GroupShape box(std::vector<std::uint32_t> sizes, std::uint32_t per_chip, bool rings,
               std::uint32_t domains = 1) {
  GroupShape shape;
  shape.per_chip = per_chip;
  shape.domains = domains;
  std::uint32_t stride = per_chip;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    if (*size > 1) shape.dimensions.insert(shape.dimensions.begin(), {stride, *size, rings, 1.0 + *size});
    stride *= *size;
    shape.chips *= *size;
  }
  shape.ranks = stride * domains;
  GroupShape::Ring ring{{}, 1};
  for (std::uint32_t c = 0; c < shape.chips; ++c) ring.order.push_back(c);
  if (shape.chips > 1) shape.rings = {ring};
  if (shape.chips == 15 || shape.chips == 16) {  // a second one: every other chip, and back
    GroupShape::Ring second{{}, 2};
    for (std::uint32_t c = 0; c < shape.chips; c += 2) second.order.push_back(c);
    for (std::uint32_t c = 1; c < shape.chips; c += 2) second.order.push_back(c);
    shape.rings.push_back(second);
  }
  return shape;
}

GroupShape irregular(std::uint32_t ranks) {
  GroupShape shape;
  shape.regular = false;
  shape.ranks = ranks;
  for (std::uint32_t r = 0; r < ranks; ++r) shape.tour.push_back((r * 5 + 2) % ranks);
  if (ranks % 5 == 0) shape.tour.clear();
  return shape;
}

std::vector<GroupShape> shapes() {
  std::vector<GroupShape> all;
  for (std::uint32_t n = 2; n <= 17; ++n) {
    all.push_back(box({n}, 1, true));
    all.push_back(irregular(n));
  }
  for (const auto& [sizes, per_chip] :
       std::vector<std::pair<std::vector<std::uint32_t>, std::uint32_t>>{{{1}, 4},
                                                                         {{1}, 8},
                                                                         {{2}, 4},
                                                                         {{4}, 4},
                                                                         {{3}, 2},
                                                                         {{4, 4}, 1},
                                                                         {{4, 4}, 2},
                                                                         {{4, 4}, 4},
                                                                         {{2, 3, 2}, 1},
                                                                         {{2, 3}, 3},
                                                                         {{4, 2, 2}, 2},
                                                                         {{3, 5}, 1}})
    for (const bool rings : {false, true}) all.push_back(box(sizes, per_chip, rings));
  for (const std::uint32_t domains : {2U, 3U, 4U, 6U})
    for (const auto& [sizes, per_chip] : std::vector<std::pair<std::vector<std::uint32_t>, std::uint32_t>>{
             {{1}, 1}, {{1}, 2}, {{2, 2}, 1}, {{4}, 2}})
      all.push_back(box(sizes, per_chip, true, domains));
  return all;
}

std::string name_of(const GroupShape& s) {
  std::string name = std::to_string(s.ranks) + " ranks, " + std::to_string(s.per_chip) + " a chip, " +
                     std::to_string(s.domains) + " domains, dims";
  for (const auto& d : s.dimensions) name += ' ' + std::to_string(d.size) + (d.ring ? "r" : "x");
  return name + (s.regular ? "" : ", irregular");
}

// What must lie where: a straightforward loop over ranks and blocks, nothing of the schedule's.
class Expectation {
 public:
  Expectation(const CollectiveTask& task, std::uint32_t ranks, std::mt19937& random)
      : task_(task), ranks_(ranks) {
    input.resize(ranks);
    output.resize(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) {
      input[r].resize(2 * task.bytes + 64);
      output[r].resize(2 * task.bytes + 64);
      for (auto& byte : input[r]) byte = static_cast<std::uint8_t>(random());
    }
  }
  void prepare(const BlockLayout& layout) {
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      if (task_.op == CollectiveOp::kAllGather || (task_.op == CollectiveOp::kBroadcast && r == task_.root)) {
        const ByteRange own =
            task_.op == CollectiveOp::kAllGather ? layout.source(r, r, {}) : ByteRange{0, task_.bytes};
        for (std::uint64_t i = 0; i < own.length; ++i) output[r][own.offset + i] = input[r][own.offset + i];
      }
    }
  }
  void check(const BlockLayout& layout, const RankBytes& got, const std::string& what) const {
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      for (std::uint32_t b = 0; b < layout.blocks(); ++b) {
        if (!wanted(r, b)) continue;
        const ByteRange to = layout.destination(r, b, {});
        const ByteRange from = layout.source(task_.op == CollectiveOp::kAllToAll ? b : r,
                                             task_.op == CollectiveOp::kAllToAll ? r : b, {});
        ASSERT_EQ(to.length, task_.op == CollectiveOp::kAllToAll ? from.length : to.length);
        for (std::uint64_t i = 0; i < to.length; ++i)
          ASSERT_EQ(got[r][to.offset + i], value(r, b, from.offset + i))
              << what << ": rank " << r << " block " << b;
      }
    }
  }
  RankBytes input, output;

 private:
  bool wanted(std::uint32_t rank, std::uint32_t block) const {
    switch (task_.op) {
      case CollectiveOp::kReduceScatter:
        return block == rank;
      case CollectiveOp::kScatter:
        return block == rank && rank != task_.root;
      case CollectiveOp::kAllToAll:
        return block != rank;  // its own stays where it is
      case CollectiveOp::kReduce:
        return rank == task_.root;
      case CollectiveOp::kGather:
        return rank == task_.root && block != task_.root;
      case CollectiveOp::kSendReceive:
        return rank == (task_.root + 1) % ranks_;
      case CollectiveOp::kBarrier:
        return false;
      default:
        return true;
    }
  }
  std::uint8_t value(std::uint32_t rank, std::uint32_t block, std::uint64_t at) const {
    switch (task_.op) {
      case CollectiveOp::kAllReduce:
      case CollectiveOp::kReduceScatter:
      case CollectiveOp::kReduce: {
        std::uint8_t sum = 0;
        for (std::uint32_t r = 0; r < ranks_; ++r) sum = static_cast<std::uint8_t>(sum + input[r][at]);
        return sum;
      }
      case CollectiveOp::kPermute:
        return input[(rank + ranks_ - 1) % ranks_][at];
      case CollectiveOp::kAllGather:
      case CollectiveOp::kAllToAll:
      case CollectiveOp::kGather:
        return input[block][at];
      default:
        return input[task_.root][at];
    }
  }
  const CollectiveTask& task_;
  const std::uint32_t ranks_;
};

void run_on_data(const CollectiveTask& task, const GroupShape& shape, std::mt19937& random, int& runs) {
  for (const std::string& name : algorithm_names(task, shape)) {
    if (!algorithm_refusal(name, task, shape).empty()) continue;
    const std::string what = std::string(kCollectiveOps[static_cast<std::size_t>(task.op)]) + ' ' + name +
                             " of " + std::to_string(task.bytes) + " B on " + name_of(shape);
    SCOPED_TRACE(what);
    const Schedule schedule = make_schedule(name, task, shape);
    Expectation expected(task, shape.ranks, random);
    expected.prepare(schedule.layout);
    ScheduleDataRun run(schedule, expected.input, expected.output);
    run.run(random);
    expected.check(schedule.layout, run.output(), what);
    ++runs;
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Schedules, LeaveEveryRankWithExactlyTheRightBytes) {
  std::mt19937 random(5);
  int runs = 0;
  for (const GroupShape& shape : shapes()) {
    for (std::size_t op = 0; op < kCollectiveOps.size(); ++op) {
      for (const std::uint64_t bytes :
           {std::uint64_t{shape.ranks} * 48, std::uint64_t{1013}, std::uint64_t{3}}) {
        CollectiveTask task;
        task.op = static_cast<CollectiveOp>(op);
        task.bytes = bytes;
        task.root = static_cast<std::uint32_t>(random() % shape.ranks);
        task.min_slice_bytes = bytes / 3 + 1;
        task.ring_slices = 1 + random() % 3;
        run_on_data(task, shape, random, runs);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(runs, 3000);
}

// Blocks of any size, also none.
TEST(Schedules, CarryUnevenBlocks) {
  std::mt19937 random(6);
  int runs = 0;
  for (const GroupShape& shape : shapes()) {
    for (const CollectiveOp op : {CollectiveOp::kAllGather, CollectiveOp::kReduceScatter,
                                  CollectiveOp::kGather, CollectiveOp::kScatter, CollectiveOp::kAllToAll}) {
      CollectiveTask task;
      task.op = op;
      const std::size_t n =
          op == CollectiveOp::kAllToAll ? std::size_t{shape.ranks} * shape.ranks : shape.ranks;
      for (std::size_t i = 0; i < n; ++i) {
        task.sizes.push_back(random() % 5 == 0 ? 0 : random() % 40);
        task.bytes += task.sizes.back();
      }
      run_on_data(task, shape, random, runs);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(runs, 500);
}

}  // namespace
}  // namespace trn
