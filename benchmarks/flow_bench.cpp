// Flows alone: a ring of many ranks in lock-step, and transfers that start and end as they like.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <queue>
#include <random>

#include "base/flow/flow_engine.h"
#include "tests/support/ring_traffic.h"

namespace trn {
namespace {

// Most memory the process ever had; what a benchmark adds to it is what counts.
double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// 576 ranks, 11 channels, 2 slices: 12,672 flows at a time, start, sharing and end. 1150 steps are the whole
// all-reduce.
void ring_in_lock_step(benchmark::State& state) {
  const auto steps = static_cast<std::uint32_t>(state.range(0));
  const double before = peak_mib();
  std::uint64_t flows = 0;
  for (auto _ : state) {
    Traffic traffic;
    RingTraffic ring(traffic, {}, machine_ring(traffic.mover(), {}), steps);
    ring.start(Picoseconds(0));
    benchmark::DoNotOptimize(run_until_quiet(traffic));
    flows += ring.flows_ended();
    state.counters["solved"] = static_cast<double>(traffic.flows().solves());
    state.counters["recalled"] = static_cast<double>(traffic.flows().recalled());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(flows));
  state.counters["grown_MiB"] = peak_mib() - before;
}
BENCHMARK(ring_in_lock_step)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK(ring_in_lock_step)->Arg(1150)->Unit(benchmark::kMillisecond)->Iterations(1);

// The yardstick: a priority queue of 12,672 entries that does nothing but take the two events a flow has. An
// item is a flow.
void bare_priority_queue(benchmark::State& state) {
  using Event = std::pair<std::uint64_t, std::uint64_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue;
  for (std::uint64_t token = 0; token < 12'672; ++token) queue.emplace(0, token);
  for (auto _ : state) {
    for (std::uint64_t event = 0; event < 25'344; ++event) {
      const Event next = queue.top();
      queue.pop();
      queue.emplace(next.first + (event < 12'672 ? 6'041'028 : 1'500'000), next.second);
    }
    benchmark::DoNotOptimize(queue.size());
  }
  state.SetItemsProcessed(state.iterations() * 12'672);
}
BENCHMARK(bare_priority_queue)->Unit(benchmark::kMillisecond);

// The same machine, out of step: one more flow each time, in a class or in another. An item is a solve.
void one_more_flow(benchmark::State& state) {
  FlowEngine engine;
  const std::vector<FlowClassId> classes = machine_ring(engine, {});
  for (const FlowClassId c : classes) engine.start(Picoseconds(0), c, Bytes(1 << 30));
  engine.next_completion(Picoseconds(0));
  std::size_t next = 0;
  for (auto _ : state) {
    engine.start(Picoseconds(0), classes[next++ * 7 % classes.size()], Bytes(1 << 30));
    benchmark::DoNotOptimize(engine.next_completion(Picoseconds(0)));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(one_more_flow)->Unit(benchmark::kMicrosecond);

Bytes any_length(std::mt19937_64& random) { return Bytes(20'000 + random() % 200'000); }

// 12,672 transfers at a time, in any of the 6,336 classes and of any length, each followed by another: a
// solve at each end, of what it reaches, or (1) of everything. An item is a transfer.
void out_of_step(benchmark::State& state) {
  const double before = peak_mib();
  FlowEngine engine(state.range(0) == 0 ? FlowEngine::Reach::kChanged : FlowEngine::Reach::kComponent);
  const std::vector<FlowClassId> classes = machine_ring(engine, {});
  std::vector<FlowId> done;
  std::mt19937_64 random(1);
  Picoseconds now;
  const auto start = [&] { engine.start(now, classes[random() % classes.size()], any_length(random)); };
  for (int i = 0; i < 12'672; ++i) start();
  now = *engine.next_completion(now);
  const std::uint64_t sweeps = engine.sweeps(), solves = engine.solves(), reached = engine.reached();
  std::int64_t transfers = 0;
  for (auto _ : state) {
    engine.take_completed(now, done);
    for (std::size_t i = 0; i < done.size(); ++i) start();
    transfers += static_cast<std::int64_t>(done.size());
    now = *engine.next_completion(now);
  }
  state.SetItemsProcessed(transfers);
  const double solved = static_cast<double>(engine.sweeps() - sweeps + engine.solves() - solves);
  state.counters["solves/s"] = benchmark::Counter(solved, benchmark::Counter::kIsRate);
  if (state.range(0) == 0)
    state.counters["classes/solve"] = static_cast<double>(engine.reached() - reached) / solved;
  state.counters["grown_MiB"] = peak_mib() - before;
}
BENCHMARK(out_of_step)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

// The yardstick: a priority queue of as many transfers, of which one ends and another starts.
void out_of_step_priority_queue(benchmark::State& state) {
  using Event = std::pair<std::uint64_t, std::uint64_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue;
  std::mt19937_64 random(1);
  for (std::uint64_t token = 0; token < 12'672; ++token) queue.emplace(any_length(random).count(), token);
  for (auto _ : state) {
    const Event next = queue.top();
    queue.pop();
    queue.emplace(next.first + any_length(random).count(), next.second);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(out_of_step_priority_queue)->Unit(benchmark::kMicrosecond);

// 32 queues before 8 cores' engines and 4 stacks, transfers of random lengths one after the other: no two
// states are alike. An item is a transfer.
void irregular_transfers(benchmark::State& state) {
  std::uint64_t flows = 0;
  for (auto _ : state) {
    FlowEngine engine;
    for (int stack = 0; stack < 4; ++stack) engine.add_resource("stack", 0.644);
    for (int core = 0; core < 8; ++core) engine.add_resource("engines", 0.368);
    std::mt19937_64 random(1);
    std::vector<std::uint32_t> queue_of(64);
    std::vector<FlowId> done;
    Picoseconds now;
    FlowSpec spec;
    const auto start = [&](std::uint32_t queue) {
      spec.bytes = any_length(random);
      spec.uses.clear();
      spec.uses.push_back({4 + queue / 4, 1.0 + static_cast<double>(random() % 8) / 64});
      spec.uses.push_back({queue / 8, 1.0, 0.1, random() % 2 == 0 ? 0.0 : 1.0, 1.0});
      queue_of[engine.start(now, spec)] = queue;
      ++flows;
    };
    for (std::uint32_t queue = 0; queue < 32; ++queue) start(queue);
    for (int i = 0; i < 5000; ++i) {
      now = *engine.next_completion(now);
      engine.take_completed(now, done);
      for (const FlowId flow : std::vector<FlowId>(done)) start(queue_of[flow]);
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(flows));
}
BENCHMARK(irregular_transfers)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trn
