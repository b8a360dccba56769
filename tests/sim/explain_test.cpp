// What a run says about its transfers: which resource binds, and what each reason costs.
#include <gtest/gtest.h>

#include "isa/assembler/assembler.h"
#include "kernels/registry.h"
#include "sim/run/simulation.h"

namespace trn {
namespace {

MachineConfig trn2(const std::vector<std::string>& sets = {}) {
  ConfigDocument document = load_machine_document("trn2");
  for (const std::string& set : sets) document.set(set);
  return parse_machine(document, "chip");
}

RunResult copy(std::map<std::string, std::string> arguments, std::size_t cores = 1,
               const MachineConfig& machine = trn2()) {
  const KernelRow& kernel = find_kernel("dma_copy");
  return run_program(kernel.build(kernel_arguments(kernel, arguments), machine, cores), machine);
}

// `count` loads of 128 partitions of `elements` bf16 each, by turns on queues of the named engines.
RunResult loads(const std::vector<std::string>& engines, int count, int elements, const std::string& mode,
                const std::string& form = "copy", const MachineConfig& machine = trn2()) {
  const std::string n = std::to_string(elements);
  std::string text = ".target trn2\n.kernel loads\n.tensor a space=hbm dtype=bf16 shape=[128," + n +
                     "]\n.tensor w space=sbuf dtype=bf16 shape=[128," + n + "]\n";
  for (const std::string& e : engines) text += ".queue q" + e + " engine=" + e + " dge=" + mode + "\n";
  const std::size_t each = static_cast<std::size_t>(count) / engines.size();
  for (const std::string& e : engines)
    text += ".engine " + e + "\n.region load\n.for i in 0.." + std::to_string(each) + "\nDMA " + form +
            " w, a, q=q" + e + "\n.endfor\n.end\n";
  return run_program(assemble(text, "f"), machine);
}

const TransferTimes& times(const RunResult& r) {
  EXPECT_EQ(r.transfer_regions.size(), 1u);
  return r.transfer_regions.at(0).times;
}

// Ideal and what is lost while moving make up the moving time, to the rounding of each transfer's end.
void expect_complete(const RunResult& r) {
  for (const TransferRegion& region : r.transfer_regions) {
    const TransferTimes& t = region.times;
    double sum = t.ideal;
    for (std::size_t i = 0; i < static_cast<std::size_t>(TransferLoss::kOneQueue); ++i) {
      sum += t.lost[i];
      EXPECT_GE(t.lost[i], -2.0 * static_cast<double>(t.transfers)) << kTransferLossNames[i];
    }
    EXPECT_NEAR(sum, static_cast<double>(t.moving.count()), 1e-9 * sum + 1);
  }
}

// 100 x 8 rows of 512 B an engine: 5.5 ns each are 4.4 us, of 22.3 ns for the bytes.
TEST(Explain, SmallRows) {
  const RunResult r = copy({{"bytes", "512"}, {"dge", "static"}});
  EXPECT_DOUBLE_EQ(times(r).at(TransferLoss::kSmallRows), 4'400'000);
  EXPECT_EQ(times(r).main_reason(), TransferLoss::kSmallRows);
  EXPECT_EQ(r.transfer_regions[0].way_out, "512 B a row; 2 KiB and more move at over 90 % of the rate");
  expect_complete(r);
}

// 8 partitions lie on one engine of 16.
TEST(Explain, FewEngines) {
  const RunResult r = copy({{"rows", "8"}, {"bytes", "32768"}});
  EXPECT_EQ(times(r).main_reason(), TransferLoss::kFewEngines);
  EXPECT_NEAR(times(r).at(TransferLoss::kFewEngines) / times(r).ideal, 15, 0.01);
  expect_complete(r);
}

// At a tenth of the rate, 90 % of the time without rows is lost: nine times the ideal.
TEST(Explain, SlowRate) {
  const RunResult r =
      loads({"SP"}, 4, 128, "static", "transpose", trn2({"neuron_core.dma.transpose_efficiency_percent=10"}));
  EXPECT_EQ(times(r).main_reason(), TransferLoss::kSlowRate);
  EXPECT_NEAR(times(r).at(TransferLoss::kSlowRate) / times(r).ideal, 9, 0.01);
  expect_complete(r);
}

// Two queues side by side: each transfer takes twice as long as alone, so half of the moving time is lost to
// the other queue, while the engines bind all the time.
TEST(Explain, SharedEngines) {
  const RunResult r = loads({"SP", "ACT"}, 16, 8192, "static");
  EXPECT_EQ(times(r).main_reason(), TransferLoss::kSharedEngines);
  EXPECT_NEAR(times(r).at(TransferLoss::kSharedEngines) / static_cast<double>(times(r).moving.count()), 0.5,
              0.02);
  expect_complete(r);
}

// One queue's descriptor unit makes a transfer in 525 ns that moves in 66: idle for 459 ns 99 times, after
// the first byte's 1000 ns.
TEST(Explain, OneQueue) {
  const RunResult r = copy({{"bytes", "64"}, {"dge", "hw"}});
  EXPECT_EQ(times(r).main_reason(), TransferLoss::kOneQueue);
  EXPECT_NEAR(times(r).at(TransferLoss::kOneQueue), 99 * (525'000 - 66'261), 99 * 1000);
  EXPECT_NEAR(times(r).at(TransferLoss::kDescriptors), 1'000'000, 1);
  expect_complete(r);
}

// And the way out leads out: two engines have two units.
TEST(Explain, TwoQueuesHalveWhatOneLost) {
  const double one = to_us(loads({"SP"}, 100, 32, "hw").time);
  const double two = to_us(loads({"SP", "ACT"}, 100, 32, "hw").time);
  EXPECT_NEAR(two / one, 0.5, 0.02);
}

// Software descriptors have one maker, 350 + 128 x 4 = 862 ns a transfer: no second queue would help.
TEST(Explain, SoftwareDescriptors) {
  const RunResult r = copy({{"bytes", "64"}, {"dge", "sw"}});
  EXPECT_EQ(times(r).main_reason(), TransferLoss::kMaking);
  EXPECT_NEAR(times(r).at(TransferLoss::kMaking), 99 * (862'000 - 66'261), 99 * 2000);
  EXPECT_EQ(times(r).at(TransferLoss::kOneQueue), 0);
}

// Static descriptors come every 75 ns, but a slot is free again only 1000 + 66 + 300 ns and a wait after its
// trigger: eight slots in flight are too few. Of the 99 transfers behind others only the 99 - 12 that do not
// start a round of eight are held up by making descriptors, 75 - 66.261 ns each.
TEST(Explain, TooFewInFlight) {
  const RunResult r = copy({{"bytes", "64"}, {"dge", "static"}});
  EXPECT_EQ(times(r).main_reason(), TransferLoss::kDescriptors);
  EXPECT_NEAR(times(r).at(TransferLoss::kOneQueue), 87 * (75'000 - 66'261), 87 * 1000);
}

// A single load: 1000 ns to the first byte, then 66,261 ps; only this is moving.
TEST(Explain, Descriptors) {
  const RunResult r = copy({{"bytes", "64"}, {"count", "1"}, {"dge", "static"}});
  EXPECT_DOUBLE_EQ(times(r).at(TransferLoss::kDescriptors), 1'000'000);
  EXPECT_EQ(times(r).main_reason(), TransferLoss::kDescriptors);
  EXPECT_EQ(r.descriptors_only, Picoseconds(1'000'000));
  EXPECT_EQ(r.moving, Picoseconds(66'261));
}

// Trap: one core's engines move 368 GB/s, two cores' 736, a stack at most 716: one is bound by its engines, a
// pair by the stack, which reads runs of 16 KiB at what the channel model gives.
TEST(Explain, OneCoreIsBoundByItsEnginesAPairByTheStack) {
  const RunResult one = copy({{"bytes", "16384"}});
  EXPECT_EQ(one.resources[0].name, "HBM stack");
  EXPECT_EQ(one.resources[0].binding, 0);
  EXPECT_GT(one.resources[1].binding, 0.99);
  EXPECT_NEAR(one.resources[1].achieved * 1e-9, 364.5, 0.5);
  EXPECT_DOUBLE_EQ(one.resources[1].peak, 368e9);
  const RunResult pair = copy({{"bytes", "16384"}}, 2);
  EXPECT_GT(pair.resources[0].binding, 0.99);
  EXPECT_EQ(pair.resources[1].binding, 0);
  EXPECT_EQ(pair.resources[2].binding, 0);
  const double reads = 716 / trn2().hbm.efficiency.cost(16384).read;
  EXPECT_GT(reads, 0.95 * 716);
  EXPECT_NEAR(pair.resources[0].achieved * 1e-9, reads, 0.01 * reads);
  EXPECT_DOUBLE_EQ(pair.resources[0].peak, 716e9);
  EXPECT_EQ(times(pair).main_reason(), TransferLoss::kHbmStack);
  expect_complete(pair);
}

TEST(Explain, FourTimesTheHbmBuysNothingWhereEnginesBind) {
  const RunResult base = copy({{"bytes", "4096"}});
  const RunResult hbm = copy({{"bytes", "4096"}}, 1, trn2({"hbm.stack_mb_per_s=4x"}));
  EXPECT_EQ(hbm.time, base.time);
  EXPECT_GT(hbm.resources[1].binding, 0.98);
  EXPECT_EQ(hbm.resources[0].binding, 0);
  const RunResult all = copy({{"bytes", "4096"}, {"dge", "static"}}, 1,
                             trn2({"hbm.stack_mb_per_s=4x", "neuron_core.dma.engine_mb_per_s=4x",
                                   "neuron_core.dma.row_overhead_ps=0.25x"}));
  EXPECT_NEAR(to_us(all.dma_active) / to_us(base.dma_active), 0.25, 0.001);
}

// Four ranks without collectives, each on its own stack and engines: the last one's transfers are told as if
// it were alone.
TEST(Explain, EveryRankSimulatedTellsTheSlowest) {
  const MachineConfig machine = trn2();
  const KernelRow& kernel = find_kernel("dma_copy");
  const Program program = kernel.build(kernel_arguments(kernel, {{"bytes", "512"}}), machine, 2);
  const Job job = uniform_job(program, {{"tp", 4}});
  const RunResult slowest = run_every_rank(job, machine).slowest_cores;
  const RunResult alone = run_program(program, machine);
  ASSERT_EQ(slowest.resources.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(slowest.resources[i].name, alone.resources[i].name);
    EXPECT_NEAR(slowest.resources[i].binding, alone.resources[i].binding, 1e-9);
    EXPECT_NEAR(slowest.resources[i].achieved / alone.resources[i].achieved, 1, 1e-9);
  }
  ASSERT_EQ(slowest.transfer_regions.size(), 1u);
  EXPECT_EQ(slowest.transfer_regions[0].times.lost, alone.transfer_regions[0].times.lost);
}

}  // namespace
}  // namespace trn
