// The fabric's worked table against bounds derived by hand.
#include "sim/validation/worked_bounds.h"

#include <gtest/gtest.h>

namespace trn {
namespace {

const std::vector<WorkedBound>& table() {
  static const std::vector<WorkedBound> kTable = worked_bounds();
  return kTable;
}

struct Expected {
  const char *machine, *links;
  CollectiveOp op;
  double mib1, mib64, gib1;  // us
};

// S = 1,048,576, 67,108,864 and 1,073,741,824 B; GB/s a direction, so S / 1 GB/s is 1048.576 us, 67,108.9 us
// and 1,073,742 us.
//   Trn2 16, a chip 4 x 128 = 512:   all-reduce 2 x 15/16 S / 512, all-gather half of it; all-to-all across
//     half a ring of 4, k S / (8 b) = 4 S / (8 x 128) = S / 256.
//   Trn2 64, a chip 4 x 128 + 2 x 64 = 640:   2 x 63/64 S / 640; all-to-all over the thin Z, 4 S / (8 x 64) =
//     S / 128; broadcast S / 640.
//   Trn3, a chip 256 + 320 + 128 = 704, 512 + 512 + 128 = 1152, 512 + 640 + 128 = 1280:   2 (n-1)/n S / that;
//     all-to-all: half of S to the other rack over 128, S / 256, whatever the preset.
TEST(WorkedBounds, AreThoseDerivedByHand) {
  using Op = CollectiveOp;
  const char *official = "official_links", *press = "press_active", *headline = "headline";
  for (const Expected& e : {Expected{"trn2:instance", "", Op::kAllReduce, 3.840, 245.76, 3932.2},
                            Expected{"trn2:instance", "", Op::kAllGather, 1.920, 122.88, 1966.1},
                            Expected{"trn2:instance", "", Op::kAllToAll, 4.096, 262.14, 4194.3},
                            Expected{"trn2:ultraserver", "", Op::kAllReduce, 3.226, 206.44, 3303.0},
                            Expected{"trn2:ultraserver", "", Op::kAllGather, 1.613, 103.22, 1651.5},
                            Expected{"trn2:ultraserver", "", Op::kReduceScatter, 1.613, 103.22, 1651.5},
                            Expected{"trn2:ultraserver", "", Op::kAllToAll, 8.192, 524.29, 8388.6},
                            Expected{"trn2:ultraserver", "", Op::kBroadcast, 1.638, 104.86, 1677.7},
                            Expected{"trn3:gen2", official, Op::kAllReduce, 2.958, 189.32, 3029.2},
                            Expected{"trn3:gen2", press, Op::kAllReduce, 1.808, 115.70, 1851.2},
                            Expected{"trn3:gen2", headline, Op::kAllReduce, 1.627, 104.13, 1666.0},
                            Expected{"trn3:gen2", official, Op::kAllGather, 1.479, 94.66, 1514.6},
                            Expected{"trn3:gen2", press, Op::kAllGather, 0.904, 57.85, 925.6},
                            Expected{"trn3:gen2", headline, Op::kAllGather, 0.814, 52.06, 833.0},
                            Expected{"trn3:gen2", official, Op::kAllToAll, 4.096, 262.14, 4194.3},
                            Expected{"trn3:gen2", press, Op::kAllToAll, 4.096, 262.14, 4194.3},
                            Expected{"trn3:gen2", headline, Op::kAllToAll, 4.096, 262.14, 4194.3},
                            Expected{"trn3:gen1", press, Op::kAllReduce, 1.792, 114.69, 1835.0},
                            Expected{"trn3:gen1", press, Op::kAllToAll, 4.096, 262.14, 4194.3}}) {
    bool found = false;
    for (const WorkedBound& row : table()) {
      if (row.machine != e.machine || row.links != e.links || row.op != e.op) continue;
      found = true;
      EXPECT_NEAR(row.bound_us[0], e.mib1, 1e-3) << e.machine << ' ' << e.links << ' ' << row.words;
      EXPECT_NEAR(row.bound_us[1], e.mib64, 1e-2) << e.machine << ' ' << e.links << ' ' << row.words;
      EXPECT_NEAR(row.bound_us[2], e.gib1, 1e-1) << e.machine << ' ' << e.links << ' ' << row.words;
    }
    EXPECT_TRUE(found) << e.machine << ' ' << e.links;
  }
}

TEST(WorkedBounds, AreNeverBeaten) {
  EXPECT_GE(table().size(), 19u);
  for (const WorkedBound& row : table())
    for (std::size_t i = 0; i < kWorkedSizes.size(); ++i)
      EXPECT_GE(row.time_us[i], row.bound_us[i]) << row.machine << ' ' << row.words;
}

}  // namespace
}  // namespace trn
