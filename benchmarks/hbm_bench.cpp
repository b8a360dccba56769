// The HBM channel model, against a loop that goes cycle by cycle with the same timing rules.
#include <benchmark/benchmark.h>

#include <random>

#include "base/error.h"
#include "models/machine_config.h"
#include "models/memory/hbm/memory_pattern.h"
#include "tests/support/tick_channel.h"

namespace trn {
namespace {

DramConfig trn2() { return parse_machine(load_machine_document("trn2"), "chip").hbm.dram; }

struct Traffic {
  std::vector<ChannelBurst> bursts;
  DramConfig dram = trn2();
};

// What one channel sees of random 64 B reads: two bursts of a row at a time, spaced to `load` percent of the
// bus.
Traffic random_reads(std::int64_t load) {
  Traffic t;
  std::mt19937_64 random(1);
  std::uint64_t at = 0;
  for (std::uint32_t i = 0; i < 20'000; i += 2) {
    const ChannelBurst burst{random() % 1000, at, static_cast<std::uint32_t>(random() % t.dram.banks()), i};
    t.bursts.push_back(burst);
    t.bursts.push_back(burst);
    at += random() % (std::uint64_t{400} * t.dram.t.burst / static_cast<std::uint64_t>(load) + 1);
  }
  return t;
}

std::vector<std::uint64_t> by_events(const Traffic& t) {
  HbmChannel channel(t.dram);
  std::vector<BurstDone> done;
  for (const ChannelBurst& b : t.bursts) {
    while (channel.next() < b.arrived) channel.step(done);
    channel.push(b, false);
  }
  while (channel.next() != kNeverCycle) channel.step(done);
  std::vector<std::uint64_t> ends;
  for (const BurstDone& b : done) ends.push_back(b.cycle);
  return ends;
}

std::vector<std::uint64_t> by_ticks(const Traffic& t) {
  TickChannel channel(t.dram);
  std::vector<BurstDone> done;
  std::size_t next = 0;
  for (std::uint64_t cycle = 0; next < t.bursts.size() || !channel.idle(); ++cycle) {
    for (; next < t.bursts.size() && t.bursts[next].arrived == cycle; ++next)
      channel.push(t.bursts[next], false);
    if (!channel.idle()) channel.tick(cycle, done);
  }
  std::vector<std::uint64_t> ends;
  for (const BurstDone& b : done) ends.push_back(b.cycle);
  return ends;
}

void hbm_channel(benchmark::State& state) {
  const Traffic traffic = random_reads(state.range(0));
  TRN_CHECK(by_events(traffic) == by_ticks(traffic), "the two loops disagree");
  for (auto _ : state) benchmark::DoNotOptimize(by_events(traffic));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(traffic.bursts.size()));
}
BENCHMARK(hbm_channel)->ArgName("load_percent")->Arg(5)->Arg(50)->Arg(120)->Unit(benchmark::kMillisecond);

void hbm_channel_by_ticks(benchmark::State& state) {
  const Traffic traffic = random_reads(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(by_ticks(traffic));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(traffic.bursts.size()));
}
BENCHMARK(hbm_channel_by_ticks)
    ->ArgName("load_percent")
    ->Arg(5)
    ->Arg(50)
    ->Arg(120)
    ->Unit(benchmark::kMillisecond);

void hbm_stack(benchmark::State& state) {
  const DramConfig dram = trn2();
  MemoryPattern pattern;
  pattern.kind = static_cast<PatternKind>(state.range(0));
  pattern.request_bytes = 256;
  pattern.requests = 20'000;
  std::uint64_t bursts = 0;
  for (auto _ : state) bursts += run_pattern(pattern, dram).bursts;
  state.SetItemsProcessed(static_cast<std::int64_t>(bursts));
}
BENCHMARK(hbm_stack)
    ->ArgName("stream_strided_random")
    ->Arg(static_cast<int>(PatternKind::kStream))
    ->Arg(static_cast<int>(PatternKind::kRandom))
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trn
