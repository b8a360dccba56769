// Where a transfer's time goes, by hand.
#include "models/memory/dma/transfer_losses.h"

#include <gtest/gtest.h>

namespace trn {
namespace {

DmaConfig trn2_dma() { return parse_machine(load_machine_document("trn2"), "chip").core.dma; }

// 128 partitions of 64 B: each of 16 engines has 8 rows, 8 x 5.5 ns = 44 ns, and 512 B, at 23 B/ns 22.26 ns,
// rounded up to a picosecond.
TransferShape rows_of_64_bytes() {
  TransferShape shape;
  shape.bytes = Bytes(8192);
  shape.rows = 128;
  shape.row_time = Picoseconds(44'000);
  shape.slowest_engine = Picoseconds(66'261);
  return shape;
}

// Ideal: 8192 B at 16 x 23 = 368 B/ns = 22,260.87 ps; the rounding is all that is uneven.
TEST(TransferTimes, SmallRowsAloneLoseTheirOverhead) {
  TransferTimes times;
  times.add(rows_of_64_bytes(), Picoseconds(66'261), {}, trn2_dma());
  EXPECT_NEAR(times.ideal, 22'260.87, 0.01);
  EXPECT_DOUBLE_EQ(times.at(TransferLoss::kSmallRows), 44'000);
  EXPECT_NEAR(times.at(TransferLoss::kFewEngines), 0.13, 0.01);
  EXPECT_NEAR(times.at(TransferLoss::kSharedEngines), 0, 1e-6);
  EXPECT_EQ(times.main_reason(), TransferLoss::kSmallRows);
  EXPECT_EQ(way_out(TransferLoss::kSmallRows, times, trn2_dma()),
            "64 B a row; 2 KiB and more move at over 90 % of the rate");
}

// It took 100,000 ps. For 50,000 ps the stack bound it and let 4096 B through, half of it, which the engines
// alone move in 33,130.5: 16,869.5 are the stack's; the other half shared the engines for 50,000: again
// 16,869.5.
TEST(TransferTimes, SharingIsSplitByWhatBound) {
  TransferTimes times;
  times.add(rows_of_64_bytes(), Picoseconds(100'000), {1, 50'000, 4096}, trn2_dma());
  EXPECT_DOUBLE_EQ(times.at(TransferLoss::kHbmStack), 16'869.5);
  EXPECT_DOUBLE_EQ(times.at(TransferLoss::kSharedEngines), 16'869.5);
  EXPECT_NEAR(times.ideal + times.total_lost(), 100'000, 1e-6);
}

// 8 partitions of 32 KiB lie on one engine: 262,144 B at 23 B/ns = 11,397.57 ns, 1/16 of it on all engines.
// Half the rate for an accumulation adds as much again.
TEST(TransferTimes, OneEngineOfSixteenAtHalfTheRate) {
  TransferShape shape;
  shape.bytes = Bytes(262'144);
  shape.rows = 8;
  shape.slow_rate_time = Picoseconds(11'397'566);
  shape.slowest_engine = Picoseconds(2 * 11'397'566);
  TransferTimes times;
  times.add(shape, shape.slowest_engine, {}, trn2_dma());
  EXPECT_DOUBLE_EQ(times.at(TransferLoss::kSlowRate), 11'397'566);
  EXPECT_NEAR(times.at(TransferLoss::kFewEngines), 11'397'566 * 15.0 / 16, 1);
  EXPECT_EQ(times.main_reason(), TransferLoss::kSlowRate);
  EXPECT_EQ(way_out(TransferLoss::kFewEngines, times, trn2_dma()),
            "as if on 1 of 16 engines; transfers over all partitions use all");
}

// 5.5 ns at 23 B/ns are 126.5 B: 90 % takes nine times as many, 1138.5 B.
TEST(TransferTimes, TwoKibibytesAreEfficientOnTrn2) { EXPECT_EQ(efficient_row(trn2_dma()), Bytes(2048)); }

}  // namespace
}  // namespace trn
