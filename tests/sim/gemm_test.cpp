// The gemm kernel against public measurements and its own loop nests.
#include "kernels/gemm.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/registry.h"
#include "sim/run/simulation.h"

namespace trn {
namespace {

MachineConfig trn(const std::string& name, const std::vector<std::string>& sets = {}) {
  ConfigDocument document = load_machine_document(name);
  for (const std::string& set : sets) document.set(set);
  return parse_machine(document, "chip");
}

RunResult run_gemm(const std::map<std::string, std::string>& arguments, const MachineConfig& machine,
                   std::size_t cores = 1) {
  const KernelRow& kernel = find_kernel("gemm");
  return run_program(kernel.build(kernel_arguments(kernel, arguments), machine, cores), machine);
}

// AWS's three versions of a 4096^3 bf16 gemm on one Trn2 core: 8,602 / 2,451 / 1,801 us (hardware study in
// docs/calibration.md#ladder). The descriptor interval is fitted to the first; the other two are predictions.
TEST(GemmLadder, IsWithinTenPercentOfTheMeasuredTimes) {
  const MachineConfig machine = trn("trn2");
  const auto us = [&](const std::map<std::string, std::string>& a) {
    return to_us(run_gemm(a, machine).time);
  };
  EXPECT_NEAR(us({{"order", "inner"}}), 8602, 0.01 * 8602);
  EXPECT_NEAR(us({{"order", "block_mn"}, {"load", "tile"}, {"m-tiles", "8"}}), 2451, 0.10 * 2451);
  EXPECT_NEAR(us({{"order", "block_mn"}, {"load", "row"}, {"m-tiles", "8"}}), 1801, 0.10 * 1801);
}

// 4096 x 8192 x 8192 in fp32: 28.30 ms measured fully blocked, 28.20 ms with whole K columns, at 314 GB/s.
TEST(GemmFp32, IsWithinThreePercentOfTheTutorial) {
  const MachineConfig machine = trn("trn2");
  const RunResult blocked =
      run_gemm({{"k", "8192"}, {"n", "8192"}, {"dtype", "fp32"}, {"order", "block_mnk"}}, machine);
  EXPECT_NEAR(to_us(blocked.time), 28302, 0.03 * 28302);
  EXPECT_GT(blocked.active(0, Engine::kTensor), 0.99);
  const RunResult hoisted =
      run_gemm({{"k", "8192"}, {"n", "8192"}, {"dtype", "fp32"}, {"order", "hoist_k"}}, machine);
  EXPECT_NEAR(to_us(hoisted.time), 28198, 0.03 * 28198);
  const double gb_per_s =
      static_cast<double>((hoisted.hbm_read + hoisted.hbm_write).count()) / to_seconds(hoisted.time) * 1e-9;
  EXPECT_NEAR(gb_per_s, 314.1, 0.02 * 314.1);
}

// Bytes read are those of the loop nest; C is written once; FLOPs on the array are the model's.
TEST(Gemm, MovesTheBytesOfItsLoopNest) {
  const MachineConfig machine = trn("trn2");
  const std::vector<std::string>& orders = kGemmOrders;
  for (std::size_t o = 0; o < orders.size(); ++o) {
    for (const auto& [m, k, n] : {std::tuple{512, 1024, 2048}, {2048, 512, 1024}}) {
      const RunResult r = run_gemm({{"m", std::to_string(m)},
                                    {"k", std::to_string(k)},
                                    {"n", std::to_string(n)},
                                    {"order", orders[o]},
                                    {"m-tiles", "2"},
                                    {"n-tiles", "1"},
                                    {"k-tiles", "2"}},
                                   machine);
      GemmOptions options;
      options.order = static_cast<GemmOrder>(o);
      options.m_tiles = 2;
      options.n_tiles = 1;
      options.k_tiles = 2;
      const auto [um, uk, un] = std::tuple{static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(k),
                                           static_cast<std::uint64_t>(n)};
      EXPECT_EQ(r.hbm_read.count(), 2 * gemm_elements_read(um, uk, un, options)) << orders[o];
      EXPECT_EQ(r.hbm_write.count(), 2 * um * un);
      EXPECT_EQ(r.array_flops, 2 * um * uk * un);
    }
  }
}

// Never faster than the array or the DMA engines allow; odd shapes included; two cores at best halve it.
TEST(Gemm, IsNeverFasterThanItsRooflines) {
  const MachineConfig machine = trn("trn2");
  for (const auto& [m, k, n] :
       {std::tuple{100, 130, 70}, {257, 300, 513}, {1024, 1024, 1024}, {128, 4096, 512}}) {
    for (const std::string& order : kGemmOrders) {
      const std::map<std::string, std::string> a{
          {"m", std::to_string(m)}, {"k", std::to_string(k)}, {"n", std::to_string(n)}, {"order", order}};
      const RunResult one = run_gemm(a, machine);
      const double seconds = to_seconds(one.time);
      EXPECT_EQ(one.array_flops, 2ull * static_cast<std::uint64_t>(m) * static_cast<std::uint64_t>(k) *
                                     static_cast<std::uint64_t>(n))
          << order;
      EXPECT_GE(seconds, static_cast<double>(one.array_flops) / machine.core_bf16_flops());
      EXPECT_GE(seconds, static_cast<double>(one.dma_bytes.count()) / 368e9);
      EXPECT_GE(to_seconds(run_gemm(a, machine, 2).time) * 2, seconds * 0.5) << order;
    }
  }
}

// Double row: each PE multiplies two FP8 rows of K a cycle, so the array needs half of bf16's time: 2 M K N /
// (4 x 128 x 128 x 2.4 GHz) = 873.8 us for 4096^3, which AWS rounds to 158 TFLOPS. trn1 has no such mode.
TEST(GemmFp8, RunsTwoRowsACycleWhereTheMachineCan) {
  const auto us = [](const char* machine, const char* dtype) {
    return to_us(run_gemm({{"dtype", dtype}, {"order", "stream"}}, trn(machine)).time);
  };
  EXPECT_GE(us("trn2", "fp8_e4m3"), 873.8);
  EXPECT_LE(us("trn2", "fp8_e4m3"), 1.03 * 873.8);
  EXPECT_GE(us("trn1", "fp8_e4m3"), 0.95 * us("trn1", "bf16"));
}

// 5 whole pairs of rows of tiles, one single tile and one of 20 rows: every FLOP once, every byte once.
TEST(GemmFp8, TakesAnyK) {
  const std::uint64_t m = 384, k = 5 * 256 + 128 + 20, n = 640;
  for (const std::string& order : kGemmOrders) {
    const RunResult r = run_gemm({{"m", std::to_string(m)},
                                  {"k", std::to_string(k)},
                                  {"n", std::to_string(n)},
                                  {"dtype", "fp8_e5m2"},
                                  {"m-tiles", "4"},
                                  {"k-tiles", "4"},
                                  {"order", order}},
                                 trn("trn2"));
    EXPECT_EQ(r.array_flops, 2 * m * k * n) << order;
    EXPECT_EQ(r.hbm_write.count(), m * n) << order;
    EXPECT_GE(r.hbm_read.count(), m * k + k * n) << order;
  }
}

// Twice every clock and rate and half of every latency is half of the time.
TEST(Gemm, ScalesWithTheMachine) {
  const std::vector<std::string> twice{"neuron_core.tensor.clock_mhz=2x",
                                       "neuron_core.vector.clock_mhz=2x",
                                       "neuron_core.scalar.clock_mhz=2x",
                                       "neuron_core.gpsimd.clock_mhz=2x",
                                       "neuron_core.sync.clock_mhz=2x",
                                       "neuron_core.tensor.limiter_window_ns=0.5x",
                                       "neuron_core.scalar.table_load_ns=0.5x",
                                       "neuron_core.semaphores.hop_ns=0.5x",
                                       "neuron_core.dma.engine_mb_per_s=2x",
                                       "neuron_core.dma.row_overhead_ps=0.5x",
                                       "neuron_core.dma.completion_latency_ns=0.5x",
                                       "neuron_core.dma.trigger_latency_ns=0.5x",
                                       "hbm.stack_mb_per_s=2x"};
  // Intervals in whole ns that do not halve are set on both sides.
  const std::vector<std::string> even{"neuron_core.dma.hardware_interval_ns=524",
                                      "neuron_core.dma.trigger_ns=74"};
  std::vector<std::string> fast = twice;
  fast.insert(fast.end(), {"neuron_core.dma.hardware_interval_ns=262", "neuron_core.dma.trigger_ns=37"});
  for (const char* order : {"inner", "block_mn", "block_mnk"}) {
    const std::map<std::string, std::string> a{{"m", "1024"}, {"k", "1024"}, {"n", "1024"}, {"order", order}};
    const double slow = to_us(run_gemm(a, trn("trn2", even)).time);
    EXPECT_NEAR(2 * to_us(run_gemm(a, trn("trn2", fast)).time), slow, 1e-6 * slow + 1e-4) << order;
  }
}

// Kernels are tiled for 128 x 128: on another array they would use a part of it, and say nothing.
TEST(Gemm, AnotherArrayIsRefused) {
  try {
    run_gemm({}, trn("trn2", {"neuron_core.tensor.columns=256"}));
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "neuron_core.tensor.columns: 256; the kernels are tiled for an array of 128 x 128; more "
                 "multiply-adds a core are *_columns_per_cycle, tensor.clock_mhz or chip.neuron_cores");
  }
  for (const char* set : {"neuron_core.tensor.rows=256", "neuron_core.tensor.rows=64",
                          "neuron_core.sbuf.partitions=256", "neuron_core.psum.banks=4",
                          "neuron_core.psum.bank_bytes=1024", "neuron_core.tensor.moving_max_elements=256"})
    EXPECT_THROW(run_gemm({}, trn("trn2", {set})), ConfigError) << set;
}

// Twice the SBUF is twice the tiles: never slower, and not out of counters.
TEST(Gemm, MoreSbufIsUsed) {
  const std::vector<std::string> twice{"neuron_core.sbuf.bytes_per_partition=2x",
                                       "neuron_core.sbuf.usable_bytes_per_partition=2x"};
  for (const char* order : {"block_mn", "block_mnk", "stream"}) {
    const std::map<std::string, std::string> a{{"m", "1024"}, {"k", "4096"}, {"n", "1024"}, {"order", order}};
    EXPECT_LE(to_us(run_gemm(a, trn("trn2", twice)).time), 1.001 * to_us(run_gemm(a, trn("trn2")).time))
        << order;
  }
}

TEST(Gemm, WhatDoesNotFitIsACapacityError) {
  EXPECT_THROW(run_gemm({{"order", "block_mnk"}, {"m-tiles", "64"}, {"n-tiles", "8"}}, trn("trn2")),
               CapacityError);
  EXPECT_THROW(run_gemm({{"m", "0"}}, trn("trn2")), UsageError);
  EXPECT_THROW(run_gemm({{"q", "1"}}, trn("trn2")), UsageError);
}

}  // namespace
}  // namespace trn
