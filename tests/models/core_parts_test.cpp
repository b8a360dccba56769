// Cost functions and parts of the core that a pencil can check.
#include <gtest/gtest.h>

#include "models/core/engine/array_time.h"
#include "models/core/engine/edge_clock.h"
#include "models/core/engine/wait_attribution.h"
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

// Columns that enter a cycle: 512 MX columns at 3 a cycle take ceil(512 / 3) = 171 cycles and the bubble of
// 8; 128 take 43, which the floor makes 64. FP4 at 6 a cycle: 86 + 8. Other types keep one.
TEST(TensorCost, SeveralColumnsACycleStayAboveTheFloor) {
  TensorConfig tensor = trn2().core.tensor;
  tensor.mxfp8_columns_per_cycle = 3;
  tensor.mxfp4_columns_per_cycle = 6;
  EXPECT_EQ(matmul_interval({512, 128, DType::kFp8E4M3FnX4}, tensor), Cycles(179));
  EXPECT_EQ(matmul_interval({128, 128, DType::kFp8E5M2X4}, tensor), Cycles(72));
  EXPECT_EQ(matmul_interval({512, 128, DType::kFp4E2M1X4}, tensor), Cycles(94));
  EXPECT_EQ(matmul_interval({512, 128, DType::kFp8E4M3}, tensor), Cycles(520));
  tensor.fp8_columns_per_cycle = 2;
  EXPECT_EQ(matmul_interval({512, 128, DType::kFp8E4M3}, tensor), Cycles(264));
}

// 158 and 315 of 79 TFLOPS: two rows of K in FP8 double row, four in an MX element, on one column a cycle.
// Three and six columns are Trainium4's announced 3x FP8 and 6x FP4 over Trainium3.
TEST(TensorCost, NarrowTypesMultiplyByWhatAnElementHoldsAndWhatEnters) {
  TensorConfig tensor = parse_machine(load_machine_document("trn3"), "chip").core.tensor;
  EXPECT_EQ(multiply_speedup(DType::kBf16, tensor), 1u);
  EXPECT_EQ(multiply_speedup(DType::kFp8E4M3, tensor), 2u);
  EXPECT_EQ(multiply_speedup(DType::kFp8E4M3FnX4, tensor), 4u);
  EXPECT_EQ(multiply_speedup(DType::kFp4E2M1X4, tensor), 4u);
  tensor.mxfp8_columns_per_cycle = 3;
  tensor.mxfp4_columns_per_cycle = 6;
  EXPECT_EQ(multiply_speedup(DType::kFp8E4M3FnX4, tensor), 3u * 4);
  EXPECT_EQ(multiply_speedup(DType::kFp4E2M1X4, tensor), 6u * 4);
  EXPECT_EQ(
      multiply_speedup(DType::kFp8E4M3, parse_machine(load_machine_document("trn1"), "chip").core.tensor),
      1u);
}

// A transpose of 10 cycles from 0; a matmul of 30 from 4 beside it: the transpose has 4 of the array's 34.
// Then one that the limiter doubles, 40 to 60, and one wholly beside it, which adds nothing.
TEST(ArrayTime, ATransposeBesideAMatmulTakesNoTimeOfItsOwn) {
  const auto at = [](std::uint64_t cycle) { return Picoseconds(1000 * cycle); };
  ArrayTime array;
  EngineStats stats;
  array.add({at(0), at(0), at(10), at(10)}, false, stats);
  EXPECT_EQ(stats.transpose_busy, at(10));
  array.add({at(4), at(10), at(34), at(34)}, true, stats);
  EXPECT_EQ(stats.transpose_busy, at(4));
  array.add({at(40), at(40), at(50), at(60)}, true, stats);
  array.add({at(41), at(60), at(51), at(51)}, false, stats);
  EXPECT_EQ(stats.transpose_busy, at(4));
  EXPECT_EQ(stats.limiter_busy, at(10));
  // A limited transpose, 70 to 90, that a matmul from 75 on covers: 5 are its own, nothing is the limiter's.
  array.add({at(70), at(70), at(80), at(90)}, false, stats);
  EXPECT_EQ(stats.limiter_busy, at(20));
  array.add({at(75), at(90), at(95), at(95)}, true, stats);
  EXPECT_EQ(stats.transpose_busy, at(9));
  EXPECT_EQ(stats.limiter_busy, at(10));
}

// Tensor waits for Vector over 0 to 100. Vector waited for bytes over 20 to 50, during 20 to 30 of which Sync
// waited for a gather; and over 60 to 80 for Scalar, which waited for bytes over 70 to 80.
TEST(WaitAttribution, FollowsTheEnginesToWhatTheyWaitedFor) {
  const auto at = [](std::uint64_t ns) { return Picoseconds(1000 * ns); };
  constexpr std::uint16_t kVectorPost = 0, kScalarPost = 1, kLoad = 2, kGather = 3;
  WaitAttribution waits(4);
  waits.posted_by(kLoad, WaitCause::kTransfer);
  waits.posted_by(kGather, WaitCause::kDataAxis);
  waits.waited(Engine::kSync, at(10), at(30), kGather);
  waits.waited(Engine::kVector, at(20), at(50), kLoad);
  waits.waited(Engine::kScalar, at(70), at(80), kLoad);
  waits.waited(Engine::kVector, at(60), at(80), kScalarPost);
  waits.tensor_waited(at(0), at(100), kVectorPost);
  EXPECT_EQ(waits.times()[static_cast<std::size_t>(WaitCause::kDataAxis)], at(10));
  EXPECT_EQ(waits.times()[static_cast<std::size_t>(WaitCause::kTransfer)], at(30));
  EXPECT_EQ(waits.times()[static_cast<std::size_t>(WaitCause::kOtherEngine)], at(60));
}

// A wait for bytes is the producer's while Sync waits for a store, unless the producer waits for bytes too.
TEST(WaitAttribution, AStoreIsWaitingForItsProducer) {
  const auto at = [](std::uint64_t ns) { return Picoseconds(1000 * ns); };
  constexpr std::uint16_t kLoad = 0, kStore = 1;
  WaitAttribution waits(2);
  waits.posted_by(kLoad, WaitCause::kTransfer);
  waits.posted_by(kStore, WaitCause::kTransfer);
  waits.waited(Engine::kVector, at(5), at(20), kLoad);
  waits.waited(Engine::kSync, at(10), at(50), kStore);
  waits.tensor_waited(at(10), at(60), kLoad);
  EXPECT_EQ(waits.times()[static_cast<std::size_t>(WaitCause::kTransfer)], at(20));  // 10 to 20, 50 to 60
  EXPECT_EQ(waits.times()[static_cast<std::size_t>(WaitCause::kOtherEngine)], at(30));
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
