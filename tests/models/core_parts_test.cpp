// Cost functions and parts of the core that a pencil can check.
#include <gtest/gtest.h>

#include "models/core/engine/edge_clock.h"
#include "models/core/semaphore/semaphore_file.h"
#include "models/core/tensor/current_limiter.h"
#include "models/core/tensor/tensor_cost.h"
#include "models/core/vector/vector_cost.h"

namespace trn {
namespace {

MachineConfig trn2() { return parse_machine(load_machine_document("trn2"), "chip"); }

// One column a cycle, 512 > floor 64, plus 8 cycles of bubble: 520.
// FP32: 4 passes of 512 and two opcodes' bubbles: 2048 + 16 = 2064. Short tiles: floor 64 + 8.
TEST(TensorCost, OneMovingColumnACycle) {
  const TensorConfig tensor = trn2().core.tensor;
  EXPECT_EQ(matmul_interval({512, 128, DType::kBf16}, tensor), Cycles(520));
  EXPECT_EQ(matmul_interval({512, 128, DType::kFp32}, tensor), Cycles(2064));
  EXPECT_EQ(matmul_interval({1, 128, DType::kBf16}, tensor), Cycles(72));
  EXPECT_EQ(weight_load(128, tensor), Cycles(32));
}

// N = 512 on Trn2: 16-bit SBUF to SBUF 4x = 128; not contiguous 2x = 256; PSUM source 2x = 256; fp32 in SBUF
// 2x = 256; fp32 from PSUM 512.
TEST(VectorCost, CopyModesAreFoundFromTheOperands) {
  const VectorConfig vector = trn2().core.vector;
  const VectorOperand bf16{Space::kSbuf, DType::kBf16, true};
  const VectorOperand strided{Space::kSbuf, DType::kBf16, false};
  const VectorOperand psum16{Space::kPsum, DType::kBf16, true};
  const VectorOperand fp32{Space::kSbuf, DType::kFp32, true};
  const VectorOperand psum32{Space::kPsum, DType::kFp32, true};
  EXPECT_EQ(vector_copy_cost(512, bf16, bf16, vector).busy, Cycles(128));
  EXPECT_EQ(vector_copy_cost(512, bf16, strided, vector).busy, Cycles(256));
  EXPECT_EQ(vector_copy_cost(512, bf16, psum16, vector).busy, Cycles(256));
  EXPECT_EQ(vector_copy_cost(512, fp32, fp32, vector).busy, Cycles(256));
  EXPECT_EQ(vector_copy_cost(512, fp32, psum32, vector).busy, Cycles(512));
  EXPECT_TRUE(vector_copy_cost(512, bf16, bf16, vector).fast_mode);
  EXPECT_FALSE(vector_copy_cost(512, fp32, psum32, vector).fast_mode);
}

// Two SBUF inputs: 2N; 16 bit throughout: N; one input in PSUM: N; floor of 64.
TEST(VectorCost, TensorTensorPaysForTwoSbufInputs) {
  const VectorConfig vector = trn2().core.vector;
  const VectorOperand bf16{Space::kSbuf, DType::kBf16, true};
  const VectorOperand fp32{Space::kSbuf, DType::kFp32, true};
  const VectorOperand psum{Space::kPsum, DType::kFp32, true};
  // Trn2 reads two wide elements a cycle when all are in SBUF side by side, Trn1 one.
  EXPECT_EQ(vector_tensor_tensor_cost(512, fp32, fp32, fp32, vector).busy, Cycles(512));
  VectorConfig trn1 = vector;
  trn1.tensor_tensor_speedup_32bit = 1;
  EXPECT_EQ(vector_tensor_tensor_cost(512, fp32, fp32, fp32, trn1).busy, Cycles(1024));
  EXPECT_EQ(vector_tensor_tensor_cost(512, bf16, bf16, bf16, vector).busy, Cycles(512));
  EXPECT_EQ(vector_tensor_tensor_cost(512, fp32, psum, fp32, vector).busy, Cycles(512));
  EXPECT_EQ(vector_tensor_tensor_cost(8, fp32, psum, fp32, vector).busy, Cycles(64));
}

// The limiter's window is 3 us. The first matmul arms it. Running without a gap, it is free at 3 us exactly
// and stays free; after an idle gap of 1.4 us (busy 1.6 of 3) still free, after 1.6 us (busy 1.4 of 3) armed
// again.
TEST(CurrentLimiter, ThrottlesTheFirstThreeMicroseconds) {
  const TensorConfig tensor = trn2().core.tensor;
  for (const auto& [gap_ns, expected] : {std::pair<std::uint64_t, std::uint64_t>{1400, 1}, {1600, 2}}) {
    CurrentLimiter limiter(tensor);
    EXPECT_EQ(limiter.factor(nanoseconds(10)), 2u);
    limiter.occupied(nanoseconds(10), nanoseconds(3009));
    EXPECT_EQ(limiter.factor(nanoseconds(3009)), 2u);
    limiter.occupied(nanoseconds(3009), nanoseconds(3020));
    EXPECT_EQ(limiter.factor(nanoseconds(3020)), 1u);
    limiter.occupied(nanoseconds(3020), nanoseconds(9000));
    EXPECT_EQ(limiter.factor(nanoseconds(9000 + gap_ns)), expected) << gap_ns;
  }
}

// +2 at 100 and +1 at 50: 1 is reached at 50, 2 and 3 at 100, 4 never.
TEST(SemaphoreFile, IsAFunctionOfTime) {
  SemaphoreFile file(1);
  file.post(0, 2, Picoseconds(100));
  file.post(0, 1, Picoseconds(50));
  EXPECT_EQ(file.reached(0, 0), Picoseconds(0));
  EXPECT_EQ(file.reached(0, 1), Picoseconds(50));
  EXPECT_EQ(file.reached(0, 3), Picoseconds(100));
  EXPECT_FALSE(file.reached(0, 4).has_value());
  file.settle(0, Picoseconds(99));
  EXPECT_EQ(file.reached(0, 1), Picoseconds(0));
  EXPECT_EQ(file.reached(0, 2), Picoseconds(100));
}

// Stepping edge by edge equals converting the absolute edge number, at clocks without a whole period.
TEST(EdgeTime, StepsLandOnAbsoluteEdges) {
  for (const std::uint64_t mhz : {960u, 1120u, 1400u, 2400u, 2800u}) {
    const Clock clock{Megahertz(mhz)};
    EdgeTime t = EdgeTime::at_or_after(Picoseconds(12345), clock);
    std::uint64_t edge = clock.first_edge_at_or_after(Picoseconds(12345)).count();
    for (std::uint64_t step = 1; step < 2000; ++step) {
      t = t.plus(EdgeStep(Cycles(step), clock), clock);
      edge += step;
      ASSERT_EQ(t.time(), clock.time_of(Cycles(edge))) << mhz;
    }
  }
}

}  // namespace
}  // namespace trn
