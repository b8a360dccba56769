// --hbm channel: kernels on the channel model of HBM against the bandwidth model.
#include <gtest/gtest.h>

#include "base/error.h"
#include "isa/assembler/assembler.h"
#include "kernels/registry.h"
#include "sim/functional/kernel_check.h"
#include "sim/run/simulation.h"

namespace trn {
namespace {

MachineConfig machine(HbmModel model, const std::string& name = "trn2",
                      const std::vector<std::string>& sets = {}) {
  ConfigDocument document = load_machine_document(name);
  for (const std::string& set : sets) document.set(set);
  MachineConfig m = parse_machine(document, "chip");
  m.hbm.model = model;
  return m;
}

using Arguments = std::map<std::string, std::string>;

Program build(const std::string& kernel, const Arguments& given, const MachineConfig& m, std::size_t lnc) {
  const KernelRow& row = find_kernel(kernel);
  return row.build(kernel_arguments(row, given), m, lnc);
}

struct Pair {
  RunResult bandwidth, channel;
  double ratio() const {
    return static_cast<double>(channel.time.count()) / static_cast<double>(bandwidth.time.count());
  }
};

Pair both(const std::string& kernel, const Arguments& given, const std::string& name = "trn2",
          std::size_t lnc = 1) {
  const MachineConfig flows = machine(HbmModel::kBandwidth, name);
  const MachineConfig channel = machine(HbmModel::kChannel, name);
  return {run_program(build(kernel, given, flows, lnc), flows),
          run_program(build(kernel, given, channel, lnc), channel)};
}

// Streams that the DMA engines bind. Measured: within 0.05 % for dma_copy, 1.6 % for vector_add, 0.6 % for
// gemm; transpose, whose 512 B rows open a row each, 2.1 %.
TEST(HbmChannelRun, AgreesWithTheBandwidthModelWhereEnginesBind) {
  for (const char* const name : {"trn1", "trn2", "trn3"}) {
    EXPECT_NEAR(both("dma_copy", {}, name).ratio(), 1, 0.05) << name;
    EXPECT_NEAR(both("vector_add", {}, name).ratio(), 1, 0.05) << name;
    EXPECT_NEAR(both("gemm", {{"m", "1024"}, {"k", "1024"}, {"n", "1024"}}, name).ratio(), 1, 0.05) << name;
  }
  EXPECT_NEAR(both("transpose", {}).ratio(), 1, 0.05);
  EXPECT_NEAR(both("vector_add", {{"elements", "2560000"}}).ratio(), 1, 0.05);
}

// The bytes are the program's; the bus moves them in whole bursts: 32 B each. Streams of 2 KiB rows hit open
// rows.
TEST(HbmChannelRun, TheBusMovesTheProgramsBytes) {
  const auto [bandwidth, channel] = both("dma_copy", {});
  EXPECT_EQ(channel.hbm_read, bandwidth.hbm_read);
  EXPECT_EQ(channel.hbm_write, bandwidth.hbm_write);
  ASSERT_TRUE(channel.channels.has_value());
  EXPECT_FALSE(bandwidth.channels.has_value());
  EXPECT_EQ(channel.channels->bursts * 32, (channel.hbm_read + channel.hbm_write).count());
  EXPECT_GT(channel.channels->row_hit_rate, 0.9);
  double all = channel.channels->busy;
  for (const double lost : channel.channels->lost) all += lost;
  EXPECT_NEAR(all, 1, 1e-9);
}

// Two cores want 736 GB/s of a stack that peaks at 716.
TEST(HbmChannelRun, APairOfCoresNeverBeatsThePeak) {
  const RunResult channel = both("dma_copy", {}, "trn2", 2).channel;
  const double bytes = static_cast<double>((channel.hbm_read + channel.hbm_write).count());
  EXPECT_GT(to_seconds(channel.time), bytes / 716e9);
}

// Loads alone, and loads and stores mixed. Measured: 1.005, 1.019, 1.006, 0.983; transpose, in rows of 512 B,
// 1.049.
TEST(HbmChannelRun, AgreesWithTheBandwidthModelWhereTheStackBinds) {
  EXPECT_NEAR(both("dma_copy", {}, "trn2", 2).ratio(), 1, 0.05);
  EXPECT_NEAR(both("vector_add", {{"elements", "2560000"}}, "trn2", 2).ratio(), 1, 0.05);
  EXPECT_NEAR(both("residual_add", {{"rows", "1024"}}, "trn2", 2).ratio(), 1, 0.05);
  EXPECT_NEAR(both("adamw", {{"parameters", "2097152"}}, "trn2", 2).ratio(), 1, 0.05);
  EXPECT_NEAR(both("transpose", {}, "trn2", 2).ratio(), 1, 0.06);
}

TEST(HbmChannelRun, SameInputSameOutput) {
  const MachineConfig m = machine(HbmModel::kChannel);
  const Program p = build("rmsnorm", {{"rows", "256"}}, m, 2);
  EXPECT_EQ(run_program(p, m).time, run_program(p, m).time);
}

// The recorder passes on to the observers that execute on data.
TEST(HbmChannelRun, RunsOnDataToo) {
  const MachineConfig m = machine(HbmModel::kChannel);
  const KernelRow& row = find_kernel("vector_add");
  EXPECT_TRUE(check_kernel(row, kernel_arguments(row, {}), m, 1, {}).passed());
}

// Blocks of instructions are read through the channels as well, and counted apart.
TEST(HbmChannelRun, InstructionFetchIsTraffic) {
  const std::vector<std::string> sets{"neuron_core.sequencer.fetch_block_bytes=16384"};
  const MachineConfig m = machine(HbmModel::kChannel, "trn2", sets);
  const MachineConfig flows = machine(HbmModel::kBandwidth, "trn2", sets);
  const Program p = build("gemm", {{"m", "512"}, {"k", "512"}, {"n", "512"}}, m, 1);
  const RunResult r = run_program(p, m);
  EXPECT_GT(r.fetched.count(), 0u);
  EXPECT_EQ(r.fetched, run_program(p, flows).fetched);
  EXPECT_EQ(r.channels->bursts * 32, (r.hbm_read + r.hbm_write + r.fetched).count());
}

constexpr const char* kStacks =
    ".target trn2\n.tensor h space=hbm dtype=bf16 shape=[1024,1024]\n"
    ".tensor far space=hbm dtype=bf16 shape=[1024,1024] stack=2\n"
    ".queue q engine=SP dge=hw\n.engine SP\nDMA copy far, h, q=q\n.end\n";

// Read from the own stack, written to another, which has channels of its own: 2 MiB each.
TEST(HbmChannelRun, OtherStacksHaveChannelsOfTheirOwn) {
  const RunResult r = run_program(assemble(kStacks, "far"), machine(HbmModel::kChannel));
  EXPECT_EQ(r.hbm_write, Bytes(2'097'152));
  EXPECT_EQ(r.channels->bursts, 2'097'152u / 32);
}

TEST(HbmChannelRun, CollectivesAndMeshesAreRefused) {
  const MachineConfig m = machine(HbmModel::kChannel);
  const Job mesh = uniform_job(assemble(kStacks, "far"), {{"tp", 2}});
  EXPECT_THROW(run_folded(mesh, m), UsageError);
  EXPECT_THROW(run_every_rank(mesh, m), UsageError);
}

}  // namespace
}  // namespace trn
