// What a DMA instruction costs the engines and HBM, by hand.
#include "models/memory/dma/dma_cost.h"

#include <gtest/gtest.h>

#include "isa/assembler/assembler.h"
#include "models/memory/dma/dma_queues.h"

namespace trn {
namespace {

MachineConfig machine(const std::string& name, const std::vector<std::string>& sets = {}) {
  ConfigDocument document = load_machine_document(name);
  for (const std::string& set : sets) document.set(set);
  return parse_machine(document, "chip");
}

constexpr const char* kTensors =
    ".target trn2\n"
    ".tensor h space=hbm dtype=bf16 shape=[1024,1024]\n"
    ".tensor g space=hbm dtype=bf16 shape=[1024,1024]\n"
    ".tensor w space=hbm dtype=fp32 shape=[1024,1024]\n"
    ".tensor next space=hbm dtype=bf16 shape=[1024,1024] stack=1\n"
    ".tensor far space=hbm dtype=bf16 shape=[1024,1024] stack=2\n"
    ".tensor n space=hbm dtype=int32 shape=[1,128]\n"
    ".tensor s space=sbuf dtype=bf16 shape=[128,1024]\n"
    ".tensor t space=sbuf dtype=bf16 shape=[128,1024]\n"
    ".tensor f space=sbuf dtype=fp32 shape=[128,1024]\n"
    ".tensor i space=sbuf dtype=int32 shape=[128,1]\n"
    ".queue q engine=POOL dge=sw\n";

TransferShape shape(const std::string& dma, const MachineConfig& m = machine("trn2")) {
  const Program p = assemble(std::string(kTensors) + ".engine POOL\nDMA " + dma + ", q=q\n.end\n", "f");
  return transfer_shape(p.cores[0].streams[index_of(Engine::kGpSimd)][0].instruction, p, m.core);
}

constexpr const char* kBlock = "[0:128 | 0 | (1,1024)]";
std::string block(const std::string& tensor) { return tensor + kBlock; }

// 128 rows of 2 KiB, 8 an engine: 8 x 5.5 ns + 16384 B / 23 B/ns = 44 + 712.348 ns, rounded up.
constexpr Picoseconds kCopy(44'000 + 712'348);

TEST(DmaCost, ACopyTakesRowsAndBytesOfEachEngine) {
  const TransferShape copy = shape("copy " + block("s") + ", " + block("h"));
  EXPECT_EQ(copy.rows, 128u);
  EXPECT_EQ(copy.engines, 16u);
  EXPECT_EQ(copy.slowest_engine, kCopy);
  EXPECT_EQ(copy.hbm_read, Bytes(262'144));
  EXPECT_EQ(copy.hbm_write, Bytes(0));
}

// Twice the engine time before NeuronCore-v4. In HBM the destination is read as well.
TEST(DmaCost, AccumulatingHalvesTheRateBeforeV4AndReadsTheDestination) {
  const TransferShape into_sbuf = shape("accumulate " + block("s") + ", " + block("h"));
  EXPECT_EQ(into_sbuf.slowest_engine, kCopy * 2);
  EXPECT_EQ(into_sbuf.hbm_read, Bytes(262'144));
  const TransferShape into_hbm = shape("accumulate " + block("h") + ", " + block("s"));
  EXPECT_EQ(into_hbm.slowest_engine, kCopy * 2);
  EXPECT_EQ(into_hbm.hbm_read, Bytes(262'144));
  EXPECT_EQ(into_hbm.hbm_write, Bytes(262'144));
  const MachineConfig v4 = machine("trn3");
  EXPECT_EQ(shape("accumulate " + block("h") + ", " + block("s"), v4).slowest_engine,
            shape("copy " + block("h") + ", " + block("s"), v4).slowest_engine);
}

// All of h is one run of 2 MiB, cut into descriptors of 64 KiB: 32. By number every row of 2 KiB is one of
// its own: 1024 of them, 64 an engine: 64 x 5.5 ns + 131072 B / 23 B/ns = 352 + 5698.783 ns. The numbers are
// read too: 4 B each.
TEST(DmaCost, RowsByNumberAreNeverMerged) {
  EXPECT_EQ(shape("copy g, h").rows, 32u);
  const std::string rows = ".tensor m space=hbm dtype=int32 shape=[1,1024]\n";
  const Program p = assemble(std::string(kTensors) + rows +
                                 ".engine POOL\nDMA gather g, h, m, q=q\nDMA scatter g, h, m, q=q\n.end\n",
                             "f");
  for (const Node& node : p.cores[0].streams[index_of(Engine::kGpSimd)]) {
    const TransferShape by_number = transfer_shape(node.instruction, p, machine("trn2").core);
    EXPECT_EQ(by_number.rows, 1024u);
    EXPECT_EQ(by_number.slowest_engine, Picoseconds(352'000 + 5'698'783));
    EXPECT_EQ(by_number.hbm_read, Bytes(2'097'152 + 4'096));
    EXPECT_EQ(by_number.hbm_write, Bytes(2'097'152));
  }
}

TEST(DmaCost, RowNumbersInSbufAreNoHbmTraffic) {
  const TransferShape gather = shape("gather " + block("s") + ", " + block("h") + ", i");
  EXPECT_EQ(gather.rows, 128u);
  EXPECT_EQ(gather.slowest_engine, kCopy);
  EXPECT_EQ(gather.hbm_read, Bytes(262'144));
  EXPECT_EQ(shape("gather " + block("s") + ", " + block("h") + ", n").hbm_read, Bytes(262'144 + 512));
}

// The destination's partitions decide: 16 of them are 2 engines of 8, which take as long as 16 engines do
// for 128.
TEST(DmaCost, InsideSbufOnlyTheEnginesCount) {
  const TransferShape whole = shape("copy " + block("s") + ", " + block("t"));
  EXPECT_EQ(whole.slowest_engine, kCopy);
  EXPECT_EQ(whole.hbm_read + whole.hbm_write, Bytes(0));
  const TransferShape few = shape("copy s[0:16 | 0 | (1,1024)], t[64:16 | 0 | (1,1024)]");
  EXPECT_EQ(few.engines, 2u);
  EXPECT_EQ(few.slowest_engine, kCopy);
  FlowSpec flow;
  transfer_flow(whole, {3, 5}, 0, machine("trn2").core.dma, {}, flow);
  ASSERT_EQ(flow.uses.size(), 1u);
  EXPECT_EQ(flow.uses[0].resource, 3u);
}

// 128 x 128 of 2 bytes, 8 rows of 256 B an engine, 2048 B at 90 % of 23 B/ns: 44 + 98.938 ns, rounded up,
// from HBM; at 50 %: 44 + 178.087 ns inside SBUF.
TEST(DmaCost, TransposesAreSlowerFromSbuf) {
  const std::string to = "transpose s[0:128 | 0 | (1,128)], ";
  EXPECT_EQ(shape(to + "h[0:128 | 0 | (1,128)]").slowest_engine, Picoseconds(44'000 + 98'938));
  EXPECT_EQ(shape(to + "t[0:128 | 0 | (1,128)]").slowest_engine, Picoseconds(44'000 + 178'087));
}

// 100 rows end inside a block of 16: they take what 112 do, 8 x 112 x 2 B at 20.7 B/ns = 86.571 ns. 4
// partitions take what an engine's 8 do, 8 x 128 x 2 B: 98.938 ns, but 4 rows, of 8 B each since 4 source
// columns lie side by side: 4 x 32 of them.
TEST(DmaCost, PartsOfATransposedBlockTakeTheTimeOfAWholeOne) {
  const TransferShape ragged = shape("transpose s[0:128 | 0 | (1,100)], h[0:100 | 0 | (1,128)]");
  EXPECT_EQ(ragged.slowest_engine, Picoseconds(44'000 + 86'571));
  EXPECT_EQ(ragged.bytes, Bytes(25'600));
  const TransferShape narrow = shape("transpose s[0:4 | 0 | (1,128)], h[0:128 | 0 | (1,4)]");
  EXPECT_EQ(narrow.engines, 1u);
  EXPECT_EQ(narrow.slowest_engine, Picoseconds(4 * 32 * 5'500 + 98'938));
}

// One pass: as long as a copy; written twice.
TEST(DmaCost, DuplicatingIsOnePassAndTwoWrites) {
  const TransferShape both = shape("duplicate " + block("h") + ", " + block("s") + ", " + block("g"));
  EXPECT_EQ(both.slowest_engine, kCopy);
  EXPECT_EQ(both.bytes, Bytes(262'144));
  EXPECT_EQ(both.hbm_read, Bytes(0));
  EXPECT_EQ(both.hbm_write, Bytes(524'288));
  const TransferShape mixed = shape("duplicate " + block("h") + ", " + block("g") + ", " + block("s"));
  EXPECT_EQ(mixed.slowest_engine, kCopy);
  EXPECT_EQ(mixed.hbm_read, Bytes(262'144));
  EXPECT_EQ(mixed.hbm_write, Bytes(262'144));
}

// bf16 in HBM to fp32 in SBUF: the engines move the wider side, HBM gives the narrower. 8 rows of 4 KiB an
// engine: 44 + 32768 / 23 = 44 + 1424.696 ns.
TEST(DmaCost, ACastMovesTheWiderSide) {
  const TransferShape cast = shape("copy " + block("f") + ", " + block("h"));
  EXPECT_EQ(cast.slowest_engine, Picoseconds(44'000 + 1'424'696));
  EXPECT_EQ(cast.bytes, Bytes(524'288));
  EXPECT_EQ(cast.hbm_read, Bytes(262'144));
}

// 96 GiB: 16 engines of 6 GiB, 98,304 descriptors of 64 KiB each: 98304 x 5.5 ns + 6442450944 / 23 ns
// = 0.540672 + 280.106562782609 ms, rounded up.
TEST(DmaCost, AllOfHbmInOneTransferDoesNotOverflow) {
  const std::string text =
      ".target trn2\n.tensor a space=hbm dtype=fp32 shape=[25165824,1024]\n"
      ".tensor b space=hbm dtype=fp32 shape=[25165824,1024]\n.queue q engine=SP dge=hw\n"
      ".engine SP\nDMA copy b, a, q=q\n.end\n";
  const Program p = assemble(text, "f");
  const TransferShape all =
      transfer_shape(p.cores[0].streams[index_of(Engine::kSync)][0].instruction, p, machine("trn2").core);
  EXPECT_EQ(all.bytes, Bytes(std::uint64_t{96} << 30));
  EXPECT_EQ(all.rows, 1'572'864u);
  EXPECT_EQ(all.slowest_engine, Picoseconds(540'672'000 + 280'106'562'783));
  EXPECT_EQ(all.hbm_read, all.bytes);
}

// Read from stack 1, write to stack 2, row numbers on the own one.
TEST(DmaCost, BytesOfOtherStacksAreToldApart) {
  const TransferShape there = shape("copy far[0:128 | 0 | (1,1024)], next[0:128 | 0 | (1,1024)]");
  EXPECT_EQ(there.hbm_read, Bytes(262'144));
  EXPECT_EQ(there.hbm_write, Bytes(262'144));
  FlowSpec flow;
  // Engines 0, own stack 1, stack 2 (same die), stack 3 behind paths 4 (in) and 5 (out).
  transfer_flow(there, {0, 1, {{2}, {3, {{4, 1}}, {{5, 1}}}}}, 0, machine("trn2").core.dma, {}, flow);
  std::vector<std::uint32_t> used;
  for (const FlowUse& use : flow.uses) used.push_back(use.resource);
  EXPECT_EQ(used, (std::vector<std::uint32_t>{0, 2, 3, 5}));
  for (std::size_t u = 1; u < flow.uses.size(); ++u) EXPECT_EQ(flow.uses[u].coefficient, 1.0);
}

// 16 engines start within 300 ns: a transfer over 2 of them 20 ns late, over all 300; over one not at all.
TEST(DmaCost, LateEnginesDelayTheFirstByte) {
  const MachineConfig skewed = machine("trn2", {"neuron_core.dma.start_skew_ns=300"});
  const auto delay = [&](const std::string& rows) {
    const std::string pattern = "[0:" + rows + " | 0 | (1,1024)]";
    return start_delay(shape("copy s" + pattern + ", h" + pattern), DescriptorMode::kHardware,
                       skewed.core.dma);
  };
  EXPECT_EQ(delay("8"), Picoseconds(1'000'000));
  EXPECT_EQ(delay("16"), Picoseconds(1'020'000));
  EXPECT_EQ(delay("128"), Picoseconds(1'300'000));
}

}  // namespace
}  // namespace trn
