// How fast the simulator is, beside an event-by-event oracle and a bare heap in the same run. Compare ratios,
// not wall times: trnsim_bench --benchmark_min_time=1
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <queue>
#include <random>

#include "base/flow/flow_engine.h"
#include "isa/assembler/assembler.h"
#include "kernels/registry.h"
#include "models/core/engine/core_evaluator.h"
#include "models/memory/dma/dma_queues.h"
#include "sim/functional/data_run.h"
#include "sim/run/simulation.h"
#include "sim/run/training.h"
#include "tests/support/reference_core.h"
#include "traces/trace_file.h"

extern "C" int sc_main(int, char**) { return 0; }

namespace trn {
namespace {

const MachineConfig& trn2() {
  static const MachineConfig machine = parse_machine(load_machine_document("trn2"), "chip");
  return machine;
}

// Blocks in all three dimensions: the default order.
const Program& blocked_gemm() {
  static const Program program = [] {
    const KernelRow& kernel = find_kernel("gemm");
    return kernel.build(kernel_arguments(kernel, {{"m", "8192"}, {"k", "8192"}, {"n", "8192"}}), trn2(), 1);
  }();
  return program;
}

std::uint64_t dynamic_instructions(const Program& program) {
  std::uint64_t count = 0;
  for (const CoreProgram& core : program.cores)
    for (const NodeList& stream : core.streams) count += dynamic_count(stream);
  return count;
}

void per_item(benchmark::State& state, std::uint64_t items) {
  state.SetItemsProcessed(static_cast<std::int64_t>(items) * state.iterations());
}

void timed_gemm(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(run_program(blocked_gemm(), trn2()).time);
  per_item(state, dynamic_instructions(blocked_gemm()));
}
BENCHMARK(timed_gemm)->Unit(benchmark::kMillisecond);

// The same core without memory system: transfers end at once.
void core_alone(benchmark::State& state) {
  for (auto _ : state) {
    CoreEvaluator core(blocked_gemm(), trn2().core);
    Picoseconds now;
    std::priority_queue<std::pair<std::uint64_t, std::uint64_t>,
                        std::vector<std::pair<std::uint64_t, std::uint64_t>>, std::greater<>>
        ends;
    std::vector<Completion> completions;
    for (;;) {
      core.run_ahead(now);
      for (const TransferRequest& r : core.transfers()) {
        ends.emplace(r.first_byte.count() + 1, completions.size());
        completions.push_back({r.core, r.semaphore, r.increment, r.queue});
      }
      std::uint64_t next = core.wake_at() ? core.wake_at()->count() : ~0ull;
      if (!ends.empty()) next = std::min(next, ends.top().first);
      if (next == ~0ull) break;
      now = Picoseconds(next);
      for (; !ends.empty() && ends.top().first == next; ends.pop())
        core.complete(completions[ends.top().second], now);
    }
    benchmark::DoNotOptimize(core.finish());
  }
  per_item(state, dynamic_instructions(blocked_gemm()));
}
BENCHMARK(core_alone)->Unit(benchmark::kMillisecond);

// Timed and executed on data: 512^3 in bf16, so that instructions of 128 x 512 numbers dominate.
void executed_gemm(benchmark::State& state) {
  const KernelRow& kernel = find_kernel("gemm");
  const Program program =
      kernel.build(kernel_arguments(kernel, {{"m", "512"}, {"k", "512"}, {"n", "512"}}), trn2(), 1);
  for (auto _ : state) benchmark::DoNotOptimize(run_on_data(program, trn2()).run.time);
  per_item(state, dynamic_instructions(program));
}
BENCHMARK(executed_gemm)->Unit(benchmark::kMillisecond);

void event_by_event_oracle(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(reference_run(blocked_gemm(), trn2()).time);
  per_item(state, dynamic_instructions(blocked_gemm()));
}
BENCHMARK(event_by_event_oracle)->Unit(benchmark::kMillisecond);

// What an event costs at the very least: a heap of as many entries as a core has engines and queues in
// flight.
void bare_heap(benchmark::State& state) {
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> heap;
  std::mt19937_64 random(1);
  for (int i = 0; i < 16; ++i) heap.push(random() % 1000);
  for (auto _ : state) {
    const std::uint64_t now = heap.top();
    heap.pop();
    heap.push(now + 1 + random() % 1000);
  }
  per_item(state, 1);
}
BENCHMARK(bare_heap);

// Start and end of flows on the resources of a core pair.
void flow_re_solves(benchmark::State& state) {
  std::uint64_t solves = 0;
  for (auto _ : state) {
    FlowEngine engine;
    const std::uint32_t stack = engine.add_resource("stack", 0.644);
    const std::uint32_t dma[] = {engine.add_resource("dma0", 0.368), engine.add_resource("dma1", 0.368)};
    Picoseconds now;
    std::vector<FlowId> done;
    for (std::uint64_t i = 0; i < 20000; ++i) {
      engine.start(now, {Bytes(100000 + i % 777), 1, 1e300, 0, {{stack, 1.0}, {dma[i % 2], 1.0}}});
      if (engine.active() < 6) continue;
      now = *engine.next_completion(now);
      engine.take_completed(now, done);
    }
    solves += engine.solves();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(solves));
}
BENCHMARK(flow_re_solves)->Unit(benchmark::kMillisecond);

std::string straight_text() {
  std::string text = ".target trn2\n.tensor a space=sbuf dtype=bf16 shape=[128,4096]\n.sem s\n.engine DVE\n";
  for (int i = 0; i < 20000; ++i)
    text += "COPY a[0:128 | " + std::to_string(i * 7 % 4000) +
            " | (1,64)], a[0:128 | 0 | (1,64)] ? s>=" + std::to_string(i) + " ! s+=1\n";
  return text + ".end\n";
}

void assembler(benchmark::State& state) {
  const std::string text = straight_text();
  for (auto _ : state) benchmark::DoNotOptimize(assemble(text, "bench"));
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK(assembler)->Unit(benchmark::kMillisecond);

void trace_load(benchmark::State& state) {
  const std::string bytes = write_trace(assemble(straight_text(), "bench"));
  for (auto _ : state) benchmark::DoNotOptimize(read_trace(bytes, "bench"));
  per_item(state, 20000);
}
BENCHMARK(trace_load)->Unit(benchmark::kMillisecond);

void train(benchmark::State& state, const char* model, std::uint64_t layers) {
  const MachineConfig machine = parse_machine(load_machine_document("trn2"), "instance");
  ModelSpec spec = load_model(model);
  spec.layers = layers;
  TrainingPlan plan;
  plan.tp = 4;
  plan.fsdp = plan.global_batch = 16;
  std::uint64_t instructions = 0;
  for (auto _ : state) instructions = simulate_training(spec, plan, machine).run.instructions;
  per_item(state, instructions);
}
BENCHMARK_CAPTURE(train, qwen3_8b_8_layers, "Qwen3-8B", 8)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(train, qwen3_32b, "Qwen3-32B", 64)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace trn

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
