// DMA engines packet by packet: by hand, and against the flows that stand for them.
#include "models/memory/dma/packet_dma.h"

#include <gtest/gtest.h>

#include <random>

#include "models/memory/hbm/channel_memory.h"
#include "models/memory/hbm/rate_memory.h"
#include "tests/support/dma_scene.h"

namespace trn {
namespace {

MachineConfig machine(const std::string& name = "trn2", const std::vector<std::string>& sets = {}) {
  ConfigDocument document = load_machine_document(name);
  for (const std::string& set : sets) document.set(set);
  return parse_machine(document, "chip");
}

Scene scene(const std::vector<std::string>& dmas, std::vector<SceneTransfer> transfers,
            const MachineConfig& m = machine()) {
  return {scene_program(dmas), m.core, std::move(transfers)};
}

SceneResult infinitely_fast(const Scene& s) {
  RateMemory memory(MegabytesPerSecond(0));
  return run_as_packets(s, memory);
}

constexpr Picoseconds kStart = nanoseconds(1000);
const std::string kBlock = "[0:128 | 0 | (1,1024)]";

// 8 rows of 2 KiB an engine, all through its one after the other: 8 x 5.5 ns + 16384 B / 23 B/ns, rounded up
// once: 44,000 + 712,348 ps. So in every direction, and with memory that takes no time.
TEST(PacketDma, OneTransferAloneTakesItsRowsAndBytes) {
  const std::vector<std::string> dmas{"copy s" + kBlock + ", h" + kBlock, "copy h" + kBlock + ", s" + kBlock,
                                      "copy s" + kBlock + ", t" + kBlock};
  for (const std::string& dma : dmas) {
    const Scene s = scene({dma}, {{0, 0, 0, kStart}});
    EXPECT_EQ(infinitely_fast(s).done[0], kStart + Picoseconds(44'000 + 712'348)) << dma;
  }
}

// Whatever the kind and its rows: the time of the slowest engine, as the cost says, to the picosecond. Rows
// of 64 KiB, rows longer than a packet, of no whole number of packets, few partitions, transposes of parts of
// a block, twice the passes, HBM to HBM.
TEST(PacketDma, AloneItAgreesWithTheCostToThePicosecond) {
  const std::vector<std::string> dmas{"copy g, h",
                                      "copy s[0:128 | 0 | (1,3000)], h[0:128 | 0 | (1,3000)]",
                                      "copy s[0:128 | 0 | (1,32)], h[0:128 | 0 | (1,32)]",
                                      "copy s[0:20 | 0 | (1,1024)], h[0:20 | 0 | (1,1024)]",
                                      "copy s[24:8 | 0 | (1,1024)], h[0:8 | 0 | (1,1024)]",
                                      "copy h[0:128 | 0 | (1,8192)], g[0:128 | 0 | (1,8192)]",
                                      "transpose s[0:128 | 0 | (1,100)], h[0:100 | 0 | (1,128)]",
                                      "transpose s[0:4 | 0 | (1,128)], h[0:128 | 0 | (1,4)]",
                                      "accumulate h" + kBlock + ", s" + kBlock};
  for (const std::string& dma : dmas) {
    const Scene s = scene({dma}, {{0, 0, 0, kStart}});
    EXPECT_EQ(infinitely_fast(s).done[0], kStart + shape_of(s, 0).slowest_engine) << dma;
  }
}

// Two like transfers, packet by packet in turn: 2 rows of 2 KiB are a packet. The first ends one packet of 2
// rows, 2 x 5.5 + 4096/23 = 189.087 ns, before the second, which ends when all is done: 2 x 756.348 ns.
TEST(PacketDma, TwoQueuesShareAnEnginePacketByPacket) {
  const std::string copy = "copy s" + kBlock + ", h" + kBlock;
  const SceneResult r = infinitely_fast(scene({copy}, {{0, 0, 0, kStart}, {0, 1, 0, kStart}}));
  EXPECT_EQ(r.done[1], kStart + Picoseconds(std::uint64_t{2} * 756'348));
  EXPECT_NEAR(static_cast<double>((r.done[1] - r.done[0]).count()), 189'087, 1);
}

// Equal bytes, not equal rows: the first queue has 16 rows of 64 B a partition, 8 KiB or two packets an
// engine, the second rows of 8 KiB. Short, long, short: the first is through after its own 128 x 5.5 +
// 8192/23 = 1060.174 ns and one packet of the second, which starts a row: 5.5 + 4096/23 = 183.587 ns.
TEST(PacketDma, QueuesGetEqualBytesWhateverTheirRows) {
  const Scene s = scene({"copy s[0:128 | 0 | (1,512)], h[0:128 | 0 | (64,16),(1,32)]",
                         "copy s[0:128 | 0 | (1,4096)], h[0:128 | 0 | (1,4096)]"},
                        {{0, 0, 0, kStart}, {0, 1, 1, kStart}});
  EXPECT_EQ(infinitely_fast(s).done[0], kStart + Picoseconds(1'060'174 + 183'587));
}

// Class 0 moves as if it were alone but for the packet already begun: 4096 B at 33 B/ns, 124.121 ns, of a row
// of 2 packets that pays for its start in the first.
TEST(PacketDma, HigherClassesGoFirstOnTrn3) {
  const MachineConfig v4 = machine("trn3");
  const std::string copy = "copy s[0:128 | 0 | (1,4096)], h[0:128 | 0 | (1,4096)]";
  const Scene s = scene({copy}, {{0, 0, 0, kStart, 1}, {0, 1, 0, kStart + nanoseconds(500), 0}}, v4);
  const SceneResult r = infinitely_fast(s);
  const Picoseconds alone = shape_of(s, 0).slowest_engine;
  EXPECT_GE(r.done[1], kStart + nanoseconds(500) + alone);
  EXPECT_LE(r.done[1], kStart + nanoseconds(500) + alone + v4.core.dma.row_overhead + nanoseconds(125));
  EXPECT_EQ(r.done[0], kStart + alone * 2);
}

TEST(PacketDma, BytesThroughMemoryAreTheTransfers) {
  const std::vector<std::string> dmas{
      "copy s" + kBlock + ", h" + kBlock, "copy h[0:128 | 0 | (1,8192)], g[0:128 | 0 | (1,8192)]",
      "accumulate h" + kBlock + ", s" + kBlock, "duplicate h" + kBlock + ", s" + kBlock + ", g" + kBlock};
  std::vector<SceneTransfer> transfers;
  for (std::size_t i = 0; i < dmas.size(); ++i) transfers.push_back({0, 0, i, kStart});
  ChannelMemory stack(machine().hbm.dram);
  RateMemory rate(MegabytesPerSecond(400'000));
  for (MemoryPort* memory : {static_cast<MemoryPort*>(&stack), static_cast<MemoryPort*>(&rate)}) {
    const SceneResult r = run_as_packets(scene(dmas, transfers), *memory);
    EXPECT_EQ(r.memory.read, r.totals.hbm_read);
    EXPECT_EQ(r.memory.written, r.totals.hbm_write);
  }
}

// Bounds that hold for any memory: the slowest engine, and the stack's peak.
TEST(PacketDma, NeverBeatsTheEnginesNorThePeakAndGrowsWithSize) {
  const MachineConfig m = machine();
  Picoseconds last;
  for (const int columns : {8, 64, 100, 1024, 4096, 8192}) {
    const std::string to = "[0:128 | 0 | (1," + std::to_string(columns) + ")]";
    Scene s = scene({"copy s" + to + ", h" + to}, {{0, 0, 0, kStart}, {1, 0, 0, kStart}}, m);
    s.cores = 2;
    ChannelMemory stack(m.hbm.dram);
    const SceneResult r = run_as_packets(s, stack);
    const Picoseconds end = std::max(r.done[0], r.done[1]);
    EXPECT_GE(end, kStart + shape_of(s, 0).slowest_engine);
    const double peak = bytes_per_picosecond(m.hbm.stack_rate);
    EXPECT_GE(static_cast<double>((end - kStart).count()),
              static_cast<double>((r.totals.hbm_read + r.totals.hbm_write).count()) / peak);
    EXPECT_GE(end, last);
    last = end;
    ChannelMemory again(m.hbm.dram);
    EXPECT_EQ(run_as_packets(s, again).done, r.done);
  }
}

struct Load {
  std::uint32_t cores, queues;  // of each core
  std::size_t transfers;        // of each queue
  int least, most;              // elements a partition: 2^least to 2^most
};

// Transfers over all partitions, or from HBM to HBM: on all engines evenly.
class RandomScene {
 public:
  explicit RandomScene(std::uint64_t seed) : random_(seed) {}

  Scene with(const Load& load) {
    std::vector<std::string> dmas;
    std::vector<SceneTransfer> list;
    for (std::size_t n = 0; n < load.transfers * load.cores * load.queues; ++n) {
      const std::uint64_t doublings = random_() % static_cast<std::uint64_t>(load.most - load.least + 1);
      dmas.push_back(dma(std::uint64_t{1} << (static_cast<std::uint64_t>(load.least) + doublings)));
      list.push_back({static_cast<std::uint32_t>(n % load.cores),
                      static_cast<std::uint32_t>(n / load.cores % load.queues), n, kStart});
    }
    Scene s = scene(dmas, list);
    s.cores = load.cores;
    s.queues = load.queues;
    return s;
  }

 private:
  // Rows of 64 B to 8 KiB.
  std::string dma(std::uint64_t elements) {
    const std::uint64_t run = std::min<std::uint64_t>(elements, std::uint64_t{32} << random_() % 8);
    const std::string sbuf = "[0:128 | 0 | (1," + std::to_string(elements) + ")]";
    const std::string hbm = "[0:128 | 0 | (" + std::to_string(2 * run) + "," +
                            std::to_string(elements / run) + "),(1," + std::to_string(run) + ")]";
    switch (random_() % 3) {
      case 0:
        return "copy s" + sbuf + ", h" + hbm;
      case 1:
        return "copy h" + hbm + ", s" + sbuf;
      default:
        return "copy h" + hbm + ", g" + hbm;
    }
  }

  std::mt19937_64 random_;
};

// Largest deviation of a completion from the flows', of its time since the start. Left out: a round of
// packets of all queues, which is how far apart like transfers end that end together as flows; a packet of 64
// B rows takes 64 x (5.5 + 64/23) = 530 ns.
double deviation(const Scene& s, std::uint64_t rate) {
  const SceneResult flows = run_as_flows(s, MegabytesPerSecond(rate));
  RateMemory memory{MegabytesPerSecond(rate)};
  const SceneResult packets = run_as_packets(s, memory);
  const double round = 530e3 * s.queues;
  double worst = 0;
  for (std::size_t n = 0; n < s.transfers.size(); ++n) {
    const double a = static_cast<double>((flows.done[n] - kStart).count());
    const double b = static_cast<double>((packets.done[n] - kStart).count());
    worst = std::max(worst, std::max(0.0, std::abs(a - b) - round) / a);
  }
  return worst;
}

double worst_deviation(const Load& load, std::uint64_t rate, Bytes outstanding) {
  double worst = 0;
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    Scene s = RandomScene(seed).with(load);
    s.core.dma.outstanding = outstanding;
    worst = std::max(worst, deviation(s, rate));
  }
  return worst;
}

constexpr Bytes kTrn1Window(32'768), kTrn2Window(73'472);

// Four transfers a queue, of 16 KiB to 1 MiB, and a stack that never binds. Measured: 0.00 %.
TEST(PacketReference, FlowsShareEnginesAsPacketsDo) {
  for (const std::uint32_t cores : {1U, 2U})
    for (const std::uint32_t queues : {1U, 2U, 4U})
      EXPECT_LT(worst_deviation({cores, queues, 4, 6, 12}, 2'000'000, kTrn2Window), 0.05)
          << cores << " cores, " << queues << " queues";
}

// Two transfers a queue of 16 MiB: long against what is under way to the stack, behind which every new
// transfer has to wait (2.4 MB at two cores of Trn2). Measured: up to 2.7 % with 32 KiB an engine under
// way, 4.3 % with what Trn2 has at its stack's 644 GB/s; 6.4 % with the same before a stack of 369 GB/s.
TEST(PacketReference, FlowsShareTheStackAsPacketsDo) {
  const auto check = [](const Load& load, std::uint64_t rate, Bytes window) {
    EXPECT_LT(worst_deviation(load, rate, window), 0.05)
        << load.cores << " cores, " << load.queues << " queues, " << rate << " MB/s";
  };
  for (const Load& load :
       {Load{1, 1, 2, 16, 16}, Load{1, 2, 2, 16, 16}, Load{1, 4, 2, 16, 16}, Load{2, 1, 2, 16, 16}}) {
    for (const std::uint64_t rate : {644'000U, 369'000U, 100'000U}) check(load, rate, kTrn1Window);
    check(load, 644'000, kTrn2Window);
  }
}

// A known difference. 8 partitions are one engine's. Two loads into different ones go side by side, each in
// its own 756.348 ns; as flows they share what the engines are together, and take twice as long.
TEST(PacketReference, TransfersOnDifferentEnginesDoNotShareThemAsFlowsDo) {
  Scene s = scene({"copy s[0:8 | 0 | (1,1024)], h[0:8 | 0 | (1,1024)]",
                   "copy s[8:8 | 0 | (1,1024)], h[0:8 | 0 | (1,1024)]"},
                  {{0, 0, 0, kStart}, {0, 1, 1, kStart}});
  EXPECT_EQ(infinitely_fast(s).done[1], kStart + Picoseconds(756'348));
  EXPECT_EQ(run_as_flows(s, MegabytesPerSecond(644'000)).done[1],
            kStart + Picoseconds(std::uint64_t{2} * 756'348));
}

// Another. Three like loads of 8 MiB, two on one core and one on the other, a stack of 100 GB/s:
// as flows each gets a third, and all end after 24 MiB. The stack serves engines: the lone one gets half and
// ends after 16 MiB, two thirds of the time; the others after 24 MiB.
TEST(PacketReference, AStackIsSharedByEnginesWhereFlowsShareItByQueues) {
  const std::string block = "[0:128 | 0 | (1,32768)]";
  Scene s =
      scene({"copy s" + block + ", h" + block}, {{0, 0, 0, kStart}, {0, 1, 0, kStart}, {1, 0, 0, kStart}});
  s.cores = 2;
  const SceneResult flows = run_as_flows(s, MegabytesPerSecond(100'000));
  RateMemory memory(MegabytesPerSecond(100'000));
  const SceneResult packets = run_as_packets(s, memory);
  const auto took = [](const SceneResult& r, std::size_t n) {
    return static_cast<double>((r.done[n] - kStart).count());
  };
  EXPECT_NEAR(took(flows, 2) / took(flows, 1), 1, 1e-6);
  EXPECT_NEAR(took(packets, 2) / took(flows, 2), 2.0 / 3, 0.02);
  EXPECT_NEAR(took(packets, 1) / took(flows, 1), 1, 0.02);
}

}  // namespace
}  // namespace trn
