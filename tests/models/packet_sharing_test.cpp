// Fluid sharing against packets that are served in turn.
#include <gtest/gtest.h>

#include <random>

#include "base/flow/flow_engine.h"
#include "tests/support/packet_mover.h"

namespace trn {
namespace {

struct Machine {
  std::vector<double> capacity;
  std::vector<FlowSpec> flows;  // all from time 0
};

// When each flow ends.
std::vector<std::uint64_t> ends(FlowMover& mover, const Machine& machine) {
  for (const double capacity : machine.capacity) mover.add_resource("r", capacity);
  std::vector<std::uint64_t> end(machine.flows.size());
  for (const FlowSpec& flow : machine.flows) mover.start(Picoseconds(0), flow);
  std::vector<FlowId> done;
  Picoseconds now;
  while (const std::optional<Picoseconds> next = mover.next_completion(now)) {
    now = *next;
    mover.take_completed(now, done);
    for (const FlowId flow : done) end[flow] = now.count();
  }
  return end;
}

void expect_agreement(const Machine& machine, const std::string& what) {
  FlowEngine fluid;
  PacketMover packets(8);
  const std::vector<std::uint64_t> f = ends(fluid, machine), p = ends(packets, machine);
  for (std::size_t i = 0; i < f.size(); ++i)
    EXPECT_NEAR(static_cast<double>(p[i]), static_cast<double>(f[i]), 0.05 * static_cast<double>(f[i]))
        << what << " flow " << i;
}

// Two flows on one link with packets of 4096 and 1024 B: four fifths and one fifth. 4 MB of the first take
// 5 ms at 0.8 GB/s.
TEST(PacketSharing, PacketSizesAreWeights) {
  Machine machine{{1e-3}, {}};
  machine.flows.push_back({Bytes(4'000'000), 4096, 1e300, 0, {{0, 1.0}}});
  machine.flows.push_back({Bytes(4'000'000), 1024, 1e300, 0, {{0, 1.0}}});
  FlowEngine fluid;
  EXPECT_EQ(ends(fluid, machine)[0], 5'000'000'000);
  expect_agreement(machine, "one link");
}

// A ring of 16 chips on memories and links, and across it, between any two chips, flows of another packet
// size.
TEST(PacketSharing, TwoClassesOnSixteenChips) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    Machine machine;
    for (std::uint32_t chip = 0; chip < 16; ++chip) machine.capacity.push_back(0.7);    // memory
    for (std::uint32_t chip = 0; chip < 16; ++chip) machine.capacity.push_back(0.128);  // link to the next
    for (std::uint32_t chip = 0; chip < 16; ++chip) {
      const std::uint32_t next = (chip + 1) % 16;
      machine.flows.push_back({Bytes(4 << 20), 4096, 1e300, 0, {{chip, 1.0}, {16 + chip, 1.0}, {next, 2.0}}});
    }
    for (int i = 0; i < 6; ++i) {
      const auto from = static_cast<std::uint32_t>(random() % 16);
      const auto hops = static_cast<std::uint32_t>(1 + random() % 3);
      FlowSpec flow{Bytes(2 << 20), 2048, 1e300, 0, {{from, 1.0}}};
      for (std::uint32_t hop = 0; hop < hops; ++hop) flow.uses.push_back({16 + (from + hop) % 16, 1.0});
      flow.uses.push_back({(from + hops) % 16, 1.0});
      machine.flows.push_back(flow);
    }
    expect_agreement(machine, "seed " + std::to_string(seed));
  }
}

// Two links, each with an urgent flow, and a flow over both that gets what they leave: nothing until the
// longer one ends after 1 ms.
TEST(PacketSharing, UrgentFlowsGoFirst) {
  Machine machine{{1e-3, 1e-3}, {}};
  machine.flows.push_back({Bytes(1'000'000), 4096, 1e300, 1, {{0, 1.0}, {1, 1.0}}});
  machine.flows.push_back({Bytes(1'000'000), 4096, 1e300, 0, {{0, 1.0}}});
  machine.flows.push_back({Bytes(500'000), 4096, 1e300, 0, {{1, 1.0}}});
  expect_agreement(machine, "two links");
}

}  // namespace
}  // namespace trn
