// trn4-whatif: what it is made of, and that bandwidth and compute buy what they can and no more.
#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/registry.h"
#include "models/core/tensor/tensor_cost.h"
#include "sim/machine/chip_stacks.h"
#include "sim/run/simulation.h"
#include "sim/run/unannounced.h"

namespace trn {
namespace {

MachineConfig machine(const std::string& name, const std::vector<std::string>& linked = {},
                      const std::vector<std::string>& alone = {}) {
  const MachineName parsed = parse_machine_name(name);
  ConfigDocument document = load_machine_document(parsed.config);
  document.set_linked(linked);
  for (const std::string& set : alone) document.set(set);
  return parse_machine(document, parsed.shape);
}

Picoseconds copy(const MachineConfig& m, std::size_t cores) {
  const KernelRow& kernel = find_kernel("dma_copy");
  return run_program(kernel.build(kernel_arguments(kernel, {{"bytes", "16384"}}), m, cores), m).time;
}

double speedup(const MachineConfig& from, const MachineConfig& to, std::size_t cores) {
  return to_us(copy(from, cores)) / to_us(copy(to, cores));
}

TEST(Trn4WhatIf, EveryShapeFitsWithEveryOverlay) {
  const std::vector<std::pair<const char*, std::uint64_t>> shapes{
      {"chip", 1}, {"server", 16}, {"gen1", 64}, {"gen2", 144}, {"nvlink", 72}};
  for (const char* overlay : {"", "+clock", "+cores", "+packing", "+unlinked", "+clock+unlinked"})
    for (const auto& [shape, chips] : shapes)
      EXPECT_EQ(machine("trn4-whatif" + std::string(overlay) + ':' + shape).fabric.chips(), chips);
  EXPECT_THROW(machine("trn4-whatif+array:chip"), ConfigError);
}

// Announced: 4x the memory bandwidth of Trn3's 4 x 1,229 GB/s; press: 288 GiB on 8 stacks. What moves the
// bytes is 4x as well, by default: 33 -> 132 GB/s an engine.
TEST(Trn4WhatIf, HasWhatIsAnnouncedAndWhatIsLinkedToIt) {
  const MachineConfig trn3 = machine("trn3"), trn4 = machine("trn4-whatif"),
                      alone = machine("trn4-whatif+unlinked");
  for (const MachineConfig* m : {&trn4, &alone}) {
    EXPECT_EQ(m->hbm.stacks * m->hbm.stack_rate.count(), 4 * 4 * 1'229'000u);
    EXPECT_EQ(m->hbm.capacity_mib, 288u * 1024);
    EXPECT_EQ(m->hbm.dram.channels, 64u);
    EXPECT_EQ(m->chip.marketing_fp8_gflops, 3 * trn3.chip.marketing_fp8_gflops);
  }
  EXPECT_EQ(trn4.core.dma.engine_rate.count(), 132'000u);
  EXPECT_EQ(trn4.core.dma.outstanding.count(), 4 * trn3.core.dma.outstanding.count());
  EXPECT_EQ(trn4.die_to_die.count(), 4 * trn3.die_to_die.count());
  EXPECT_EQ(trn4.core.dma.row_overhead, trn3.core.dma.row_overhead);
  EXPECT_EQ(alone.core.dma.engine_rate, trn3.core.dma.engine_rate);
  EXPECT_EQ(alone.die_to_die, trn3.die_to_die);
}

// The chip's array rate is 3x by the clock and 3x by the cores; DMA of the whole chip is 4x Trn3's in both.
TEST(Trn4WhatIf, OverlaysAreTwoWaysToTheSameRate) {
  const auto rate = [](const MachineConfig& m) {
    return m.core_bf16_flops() * static_cast<double>(m.chip.neuron_cores);
  };
  const auto dma = [](const MachineConfig& m) {
    return m.core.dma.engine_rate.count() * m.core.dma.engines * m.chip.neuron_cores;
  };
  const MachineConfig trn3 = machine("trn3");
  for (const char* name : {"trn4-whatif+clock", "trn4-whatif+cores"}) {
    EXPECT_DOUBLE_EQ(rate(machine(name)), 3 * rate(trn3));
    EXPECT_EQ(dma(machine(name)), 4 * dma(trn3));
  }
  EXPECT_DOUBLE_EQ(rate(machine("trn4-whatif")), rate(trn3));
}

// Announced: 3x FP8 and 6x FP4 over Trn3, whichever way; hardware sheet: 6, 12 and 24 multiply-adds a PE
// where it is packing, against Trn3's 2, 4 and 4.
TEST(Trn4WhatIf, EveryOverlayIsThreeTimesFp8AndSixTimesFp4) {
  const auto rate = [](const MachineConfig& m, DType dtype) {
    return m.core_bf16_flops() *
           static_cast<double>(m.chip.neuron_cores * multiply_speedup(dtype, m.core.tensor));
  };
  const MachineConfig trn3 = machine("trn3"), packed = machine("trn4-whatif");
  for (const char* name : {"trn4-whatif", "trn4-whatif+packing", "trn4-whatif+clock", "trn4-whatif+cores",
                           "trn4-whatif+clock+packing"}) {
    const MachineConfig m = machine(name);
    EXPECT_DOUBLE_EQ(rate(m, DType::kFp8E4M3), 3 * rate(trn3, DType::kFp8E4M3)) << name;
    EXPECT_DOUBLE_EQ(rate(m, DType::kFp8E4M3FnX4), 3 * rate(trn3, DType::kFp8E4M3FnX4)) << name;
    EXPECT_DOUBLE_EQ(rate(m, DType::kFp4E2M1X4), 6 * rate(trn3, DType::kFp4E2M1X4)) << name;
  }
  EXPECT_EQ(multiply_speedup(DType::kFp8E4M3, packed.core.tensor), 6u);
  EXPECT_EQ(multiply_speedup(DType::kFp8E4M3FnX4, packed.core.tensor), 12u);
  EXPECT_EQ(multiply_speedup(DType::kFp4E2M1X4, packed.core.tensor), 24u);
}

// Programs are Trn3's: a what-if has no instructions of its own.
TEST(Trn4WhatIf, RunsThePrograms) {
  EXPECT_EQ(isa_limits(machine("trn4-whatif+clock")).target, "trn3");
  EXPECT_EQ(isa_limits(machine("trn3")).target, "trn3");
}

// Pairs of 8 cores on 8 stacks have two each, on 4 stacks one; 12 pairs on 8 stacks share two among three.
TEST(StackPools, AreTheStacksOfARanksCores) {
  const auto pools = [](const StackPools& p) { return std::pair(p.count, p.stacks); };
  using P = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(pools(stack_pools(machine("trn4-whatif"), 2)), P(4, 2));
  EXPECT_EQ(pools(stack_pools(machine("trn4-whatif"), 1)), P(8, 1));
  EXPECT_EQ(pools(stack_pools(machine("trn2"), 2)), P(4, 1));
  EXPECT_EQ(pools(stack_pools(machine("trn2"), 1)), P(4, 1));
  EXPECT_EQ(pools(stack_pools(machine("trn4-whatif+cores"), 2)), P(4, 2));
  EXPECT_EQ(pools(stack_pools_alone(machine("trn4-whatif"), 2)), P(4, 2));
  EXPECT_EQ(pools(stack_pools_alone(machine("trn4-whatif+cores"), 2)), P(8, 1));
}

// A pair whose engines never bind moves at the peak of its two stacks, 2 x 2,458 GB/s, less what rows and
// turning cost; a core alone has one.
TEST(StackPools, APairOfCoresHasBothItsStacks) {
  const MachineConfig m = machine("trn4-whatif", {}, {"neuron_core.dma.engine_mb_per_s=10x"});
  const KernelRow& kernel = find_kernel("dma_copy");
  const auto stack = [&](std::size_t cores) {
    const Program program = kernel.build(kernel_arguments(kernel, {{"bytes", "16384"}}), m, cores);
    return run_program(program, m).resources[0];
  };
  EXPECT_DOUBLE_EQ(stack(2).peak, 2 * 2458e9);
  EXPECT_DOUBLE_EQ(stack(1).peak, 2458e9);
}

// Four pairs of a chip at once, one standing for all or each simulated: the same, also where three share two
// stacks.
TEST(StackPools, OneRankStandsForAll) {
  for (const char* name : {"trn4-whatif", "trn4-whatif+cores"}) {
    const MachineConfig m = machine(name, {}, {"neuron_core.dma.engine_mb_per_s=10x"});
    const KernelRow& kernel = find_kernel("dma_copy");
    const Job job = uniform_job(kernel.build(kernel_arguments(kernel, {{"bytes", "16384"}}), m, 2),
                                {{"tp", m.chip.neuron_cores / 2}});
    const double folded = to_us(run_folded(job, m).time), full = to_us(run_every_rank(job, m).time);
    EXPECT_NEAR(folded, full, 1e-3 * full) << name;
  }
}

// A copy on Trn3 is bound by the DMA engines: 4x HBM alone buys nothing; with what is linked to it,
// something, but descriptors and rows do not scale.
TEST(WhatIf, HbmAloneBuysLessThanWithWhatIsLinked) {
  const MachineConfig base = machine("trn3");
  const double alone = speedup(base, machine("trn3", {}, {"hbm.stack_mb_per_s=4x"}), 1);
  const double linked = speedup(base, machine("trn3", {"hbm.stack_mb_per_s=4x"}), 1);
  EXPECT_NEAR(alone, 1, 1e-3);
  EXPECT_GT(linked, 1.5 * alone);
  EXPECT_LE(linked, 4);
}

// With engines that never bind, a pair's copy is purely HBM-bound: 4x HBM gives at most 4x, nearly that; and
// faster engines of computation nothing at all.
TEST(WhatIf, OfAnHbmBoundKernelBandwidthBuysAtMostItself) {
  const std::vector<std::string> engines{"neuron_core.dma.engine_mb_per_s=100x",
                                         "neuron_core.dma.row_overhead_ps=0", "hbm.stack_mb_per_s=0.02x"};
  const MachineConfig base = machine("trn3", {}, engines);
  std::vector<std::string> faster = engines;
  faster.back() = "hbm.stack_mb_per_s=0.08x";
  const double gain = speedup(base, machine("trn3", {}, faster), 2);
  EXPECT_LE(gain, 4);
  EXPECT_GT(gain, 3.8);
  std::vector<std::string> compute = engines;
  for (const char* set : {"neuron_core.tensor.clock_mhz=3x", "neuron_core.vector.clock_mhz=3x"})
    compute.emplace_back(set);
  EXPECT_EQ(copy(machine("trn3", {}, compute), 2), copy(base, 2));
}

std::vector<std::string> keys(const std::string& name, const AnswerBasis& basis) {
  std::vector<std::string> out;
  for (const ConfigRange& range : ranges_of_answer(load_machine_document(name), basis))
    out.push_back(range.key);
  return out;
}

TEST(Ranges, AreThoseAnAnswerCanRestOn) {
  const std::vector<std::string> memory{"die_to_die.mb_per_s", "neuron_core.dma.engine_mb_per_s",
                                        "neuron_core.dma.row_overhead_ps", "neuron_core.tensor.clock_mhz"};
  const auto contains = [](const std::vector<std::string>& all, const std::string& key) {
    return std::find(all.begin(), all.end(), key) != all.end();
  };
  for (const std::string& key : keys("trn4-whatif", {"chip", true}))
    EXPECT_TRUE(contains(memory, key)) << key;
  EXPECT_FALSE(contains(keys("trn4-whatif", {"chip"}), "neuron_core.tensor.clock_mhz"));
  EXPECT_EQ(keys("trn3", {"gen2", true, true}),
            (std::vector<std::string>{"shapes.gen2.hop_latency_ns", "shapes.gen2.links"}));
  EXPECT_TRUE(keys("trn2", {"instance", true, true}).empty());
  const auto nvlink = keys("trn4-whatif", {"nvlink", false, true});
  EXPECT_TRUE(contains(nvlink, "shapes.nvlink.port_mb_per_s"));
  EXPECT_TRUE(contains(nvlink, "shapes.nvlink.ports"));
  EXPECT_FALSE(contains(nvlink, "link_presets.trn3_rates.rack_mb_per_s"));
  EXPECT_FALSE(contains(nvlink, "efa.mb_per_s"));
  EXPECT_TRUE(contains(keys("trn4-whatif", {"nvlink", false, true, true}), "efa.mb_per_s"));
  EXPECT_TRUE(contains(keys("trn4-whatif", {"gen2", true, true}), "link_presets.trn3_rates.rack_mb_per_s"));
}

// Rates at their low, latencies at their high end are the worse; the number of ports stays: another number of
// chips is another question.
TEST(Ranges, EndsAreTheWorseAndTheBetterMachine) {
  const ConfigDocument document = load_machine_document("trn4-whatif");
  const auto ranges = ranges_of_training(document, "nvlink");
  const MachineConfig worse = parse_machine(at_end(document, ranges, RangeEnd::kPessimistic), "nvlink");
  const MachineConfig better = parse_machine(at_end(document, ranges, RangeEnd::kOptimistic), "nvlink");
  EXPECT_EQ(worse.fabric.port_rate.count(), 900'000u);
  EXPECT_EQ(better.fabric.port_rate.count(), 3'600'000u);
  EXPECT_EQ(worse.fabric.hop_latency, nanoseconds(300));
  EXPECT_EQ(better.fabric.hop_latency, nanoseconds(100));
  EXPECT_EQ(worse.core.dma.engine_rate.count(), 66'000u);
  EXPECT_EQ(worse.fabric.ports, 72u);
  EXPECT_EQ(better.core.tensor.clock.frequency.count(), 2400u);
  const ConfigDocument trn3 = load_machine_document("trn3");
  const auto links = ranges_of_training(trn3, "gen2");
  EXPECT_EQ(parse_machine(at_end(trn3, links, RangeEnd::kPessimistic), "gen2").fabric.rack_rate.count(),
            320'000u);
  EXPECT_EQ(parse_machine(at_end(trn3, links, RangeEnd::kOptimistic), "gen2").fabric.rack_rate.count(),
            640'000u);
}

}  // namespace
}  // namespace trn
