// The bandwidth model against the channel model it takes its efficiency from.
#include <gtest/gtest.h>

#include "base/flow/flow_engine.h"
#include "models/machine_config.h"
#include "models/memory/hbm/memory_pattern.h"

namespace trn {
namespace {

MachineConfig machine(const std::string& name, const std::vector<std::string>& sets = {}) {
  ConfigDocument document = load_machine_document(name);
  for (const std::string& assignment : sets) document.set(assignment);
  return parse_machine(document, "chip");
}

// Share of the peak that a reading and a writing flow get together, the writing one `writes` percent of the
// bytes.
double bandwidth_model(const HbmEfficiency& efficiency, std::uint64_t run, std::uint64_t writes) {
  const HbmEfficiency::Cost cost = efficiency.cost(run);
  FlowEngine engine;
  const std::uint32_t stack = engine.add_resource("stack", 1, efficiency.turning);
  double rate = 0;
  std::vector<FlowId> flows;
  const double none = std::numeric_limits<double>::infinity();
  if (writes < 100)
    flows.push_back(engine.start(Picoseconds(0), {Bytes(1'000'000),
                                                  static_cast<double>(100 - writes),
                                                  none,
                                                  0,
                                                  {{stack, cost.read, cost.turn, 0, 1}},
                                                  nullptr}));
  if (writes > 0)
    flows.push_back(engine.start(Picoseconds(0), {Bytes(1'000'000),
                                                  static_cast<double>(writes),
                                                  none,
                                                  0,
                                                  {{stack, cost.write, cost.turn, 1, 1}},
                                                  nullptr}));
  engine.next_completion(Picoseconds(0));
  for (const FlowId flow : flows) rate += engine.rate(flow);
  return rate;
}

double channel_model(const DramConfig& dram, PatternKind kind, std::uint64_t run, std::uint64_t writes) {
  MemoryPattern p;
  p.kind = kind;
  p.request_bytes = run;
  p.requesters = 32;
  p.write_percent = writes;
  p.seed = 7;  // not the table's
  p.footprint_bytes = std::uint64_t{1} << 32;
  p.requests = 8192 * dram.channels * dram.burst_bytes / run;
  return steady_efficiency(p, dram);
}

TEST(HbmEfficiency, HoldsTheTwoModelsTogetherOnStreams) {
  for (const char* name : {"trn1", "trn2", "trn3"}) {
    const MachineConfig m = machine(name);
    for (const std::uint64_t writes : {0ULL, 100ULL}) {
      const double channel = channel_model(m.hbm.dram, PatternKind::kStream, 4096, writes);
      EXPECT_NEAR(bandwidth_model(m.hbm.efficiency, 1 << 20, writes) / channel, 1, 0.02)
          << name << ' ' << writes;
    }
  }
}

// Rows of the table and, at 2 KiB, a length between them; shares of writes that the table has and has not.
TEST(HbmEfficiency, HoldsTheTwoModelsTogetherOnMixes) {
  for (const char* name : {"trn1", "trn2", "trn3"}) {
    const MachineConfig m = machine(name);
    for (const std::uint64_t run : {256ULL, 2048ULL})
      for (const std::uint64_t writes : {0ULL, 25ULL, 50ULL, 75ULL}) {
        const double channel = channel_model(m.hbm.dram, PatternKind::kRandom, run, writes);
        EXPECT_NEAR(bandwidth_model(m.hbm.efficiency, run, writes) / channel, 1, 0.05)
            << name << ' ' << run << ' ' << writes;
      }
  }
}

// A stack made faster as a whole keeps its efficiency, and needs no new table; another device is measured.
TEST(HbmEfficiency, FollowsTheDevice) {
  const MachineConfig m = machine("trn2"), faster = machine("trn2", {"hbm.stack_mb_per_s=4x"});
  EXPECT_EQ(device_text(m.hbm.dram), device_text(faster.hbm.dram));
  EXPECT_EQ(m.hbm.efficiency.cost(512).read, faster.hbm.efficiency.cost(512).read);
  // Four activations in four times the window: random rows come slower.
  const MachineConfig slower = machine("trn2", {"hbm.dram.tfaw_ns=4x"});
  EXPECT_NE(device_text(m.hbm.dram), device_text(slower.hbm.dram));
  EXPECT_GT(slower.hbm.efficiency.cost(64).read, 1.5 * m.hbm.efficiency.cost(64).read);
}

// Costs fall with the length of the run, and lie above the peak's.
TEST(HbmEfficiency, LongerRunsCostNoMore) {
  for (const char* name : {"trn1", "trn2", "trn3"}) {
    const HbmEfficiency e = machine(name).hbm.efficiency;
    for (std::uint64_t run = 32; run <= 65536; run *= 2) {
      EXPECT_GE(e.cost(run).read, 1) << name;
      EXPECT_GE(e.cost(run).write, 1) << name;
      EXPECT_GE(e.cost(run).read, 0.97 * e.cost(2 * run).read) << name << ' ' << run;
      EXPECT_GE(e.cost(run).mixed(), 0.97 * e.cost(2 * run).mixed()) << name << ' ' << run;
    }
  }
}

}  // namespace
}  // namespace trn
