// What a run says of its kernels: the sums are the run's, the times hold what was done in them.
#include "sim/run/kernel_results.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "isa/assembler/assembler.h"
#include "kernels/registry.h"
#include "models/core/tensor/tensor_cost.h"
#include "sim/run/simulation.h"
#include "sim/run/training.h"

namespace trn {
namespace {

MachineConfig machine(const std::string& name) {
  const MachineName parsed = parse_machine_name(name);
  return parse_machine(load_machine_document(parsed.config), parsed.shape);
}

const KernelResult& kernel(const RunResult& r, const std::string& region) {
  for (const KernelResult& k : r.kernels)
    if (k.region == region) return k;
  throw InternalError("no kernel " + region);
}

void expect_sums(const RunResult& r) {
  KernelResult sum;
  for (const KernelResult& k : r.kernels) {
    sum.instructions += k.instructions;
    sum.array_flops += k.array_flops;
    sum.transfers += k.transfers;
    sum.dma_bytes += k.dma_bytes;
    sum.hbm_read += k.hbm_read;
    sum.hbm_write += k.hbm_write;
    EXPECT_LE(k.time, r.time) << k.region;
  }
  EXPECT_EQ(sum.instructions, r.instructions);
  EXPECT_EQ(sum.array_flops, r.array_flops);
  EXPECT_EQ(sum.transfers, r.transfers);
  EXPECT_EQ(sum.dma_bytes, r.dma_bytes);
  EXPECT_EQ(sum.hbm_read, r.hbm_read);
  EXPECT_EQ(sum.hbm_write, r.hbm_write);
}

// Nothing is above a ceiling: FLOPs in the time at most the array's, bytes the stack's.
void expect_below_ceilings(const RunResult& r, const MachineConfig& m) {
  ASSERT_FALSE(r.array_ceilings.empty());
  for (const KernelResult& k : r.kernels) {
    const double seconds = to_seconds(k.time);
    EXPECT_LE(static_cast<double>(k.array_flops), r.array_ceilings.back().flops_per_s * seconds * 1.000001)
        << k.region;
    EXPECT_LE(static_cast<double>((k.hbm_read + k.hbm_write).count()),
              static_cast<double>(m.hbm.stack_rate.count()) * 1e6 * seconds * 1.000001)
        << k.region;
  }
}

TrainingResult small_step(const std::string& name) {
  ModelSpec model;
  model.name = "small";
  model.layers = 6;
  model.hidden = 512;
  model.heads = 16;
  model.kv_heads = 8;
  model.head_dim = 64;
  model.intermediate = 1024;
  model.vocab = 2048;
  model.qk_norm = true;
  TrainingPlan plan;
  plan.tp = 4;
  plan.fsdp = 16;
  plan.sequence = 1024;
  plan.global_batch = 16;
  return simulate_training(model, plan, machine(name));
}

TEST(KernelResults, OfATrainingStepSumToTheRun) {
  for (const char* name : {"trn2:instance", "trn3:server"}) {
    const TrainingResult r = small_step(name);
    expect_sums(r.run);
    expect_below_ceilings(r.run, machine(name));
    // Six layers, each gate_up twice (forward, and none recomputed or once): 2 x tokens x hidden x 2 ff / tp
    // a layer of both cores.
    const std::uint64_t once = 2ull * 1024 * 512 * 2 * 1024 / 4;
    EXPECT_EQ(kernel(r.run, "gate_up").array_flops % (6 * once), 0u);
    EXPECT_EQ(kernel(r.run, "gate_up").modes, std::vector<std::string>{"bf16"});
    EXPECT_TRUE(kernel(r.run, "norm").modes.empty());
  }
}

TEST(KernelResults, OfEveryLibraryKernelSumToTheRun) {
  const MachineConfig trn3 = machine("trn3:chip");  // has every instruction
  for (const KernelRow& row : kernel_table()) {
    std::map<std::string, std::string> small;  // some only move data, and prove nothing
    if (!row.proof.cases.empty()) small = row.proof.cases.front();
    const RunResult r = run_program(row.build(kernel_arguments(row, small), trn3, 1), trn3);
    EXPECT_FALSE(r.kernels.empty()) << row.name;
    expect_sums(r);
  }
}

// The same times from what an observer sees, every interval kept and merged at the end.
class VisitObserver : public ExecutionObserver {
 public:
  void issued(const IssuedInstruction& i) override {
    Visit& visit = visits_[{i.core, i.engine}];
    if (visit.end.count() == 0 || visit.region != i.instruction.region) {
      leave(i.engine, visit);
      visit = {i.instruction.region, i.start, i.complete};
      ++visits;
    }
    visit.end = std::max(visit.end, i.complete);
  }
  std::uint64_t transfer_triggered(const IssuedInstruction& i, Picoseconds first_byte,
                                   const TransferShape&) override {
    issued(i);
    transfers_.push_back({i.instruction.region, first_byte, {i.core, i.instruction.queue}});
    return transfers_.size() - 1;
  }
  // A queue moves one transfer at a time.
  void transfer_done(std::uint64_t number, Picoseconds, Picoseconds now) override {
    const Transfer& t = transfers_[number];
    Picoseconds& before = queue_end_[t.queue];
    intervals_[t.region].push_back({std::max(t.first_byte, before), now});
    before = now;
  }
  Picoseconds time(std::uint32_t region) {
    for (auto& [engine, visit] : visits_) {
      leave(engine.second, visit);
      visit = {};
    }
    std::vector<std::pair<Picoseconds, Picoseconds>>& all = intervals_[region];
    std::sort(all.begin(), all.end());
    Picoseconds sum;
    Picoseconds until;
    for (const auto& [begin, end] : all) {
      if (end > until) sum += end - std::max(begin, until);
      until = std::max(until, end);
    }
    return sum;
  }
  std::uint64_t visits = 0;

 private:
  struct Visit {
    std::uint32_t region = 0;
    Picoseconds begin, end;
  };
  struct Transfer {
    std::uint32_t region;
    Picoseconds first_byte;
    std::pair<std::uint32_t, std::uint16_t> queue;
  };
  void leave(Engine engine, const Visit& visit) {
    if (engine != Engine::kSync && visit.end > visit.begin)
      intervals_[visit.region].push_back({visit.begin, visit.end});
  }
  std::map<std::pair<std::uint32_t, Engine>, Visit> visits_;
  std::vector<Transfer> transfers_;
  std::map<std::pair<std::uint32_t, std::uint16_t>, Picoseconds> queue_end_;
  std::map<std::uint32_t, std::vector<std::pair<Picoseconds, Picoseconds>>> intervals_;
};

// An observer is told of a transfer's trigger, not of how long it keeps the engine: at most 0.1 us a visit.
void expect_observed_times(const Program& program, const MachineConfig& m) {
  VisitObserver observer;
  const RunResult r = run_program(program, m, &observer);
  std::size_t compared = 0;
  for (std::uint32_t region = 0; region < program.regions.size(); ++region) {
    const Picoseconds seen = observer.time(region);
    if (seen.count() == 0) continue;
    ++compared;
    const Picoseconds told = kernel(r, program.regions[region]).time;
    EXPECT_GE(told, seen) << program.regions[region];
    EXPECT_LE(told, seen + nanoseconds(100) * observer.visits) << program.regions[region];
    EXPECT_LE(to_us(told), 1.02 * to_us(seen)) << program.regions[region];
  }
  EXPECT_GT(compared, 0u);
}

TEST(KernelResults, TimesAreTheUnionOfVisitsAndMovingTransfers) {
  const MachineConfig trn2 = machine("trn2:chip");
  expect_observed_times(assemble(read_text_file("traces/samples/mm_db.tasm"), "f"), trn2);
  for (const char* name : {"gemm", "flash_attention"}) {
    const KernelRow& row = find_kernel(name);
    for (const std::size_t cores : {1u, 2u})
      expect_observed_times(row.build(kernel_arguments(row, row.proof.cases.front()), trn2, cores), trn2);
  }
}

// The array's peak, a mode at a time, from what a matmul of many columns does in its time: the floor and the
// bubble vanish.
TEST(ArrayPeak, IsTheLimitOfLongMatmuls) {
  const TensorConfig tensor = machine("trn2:chip").core.tensor;
  for (const DType dtype : {DType::kBf16, DType::kFp32}) {
    const std::uint64_t columns = 1'000'000;
    const Cycles time = matmul_interval({columns, 128, dtype}, tensor);
    const double rate = 2.0 * 128 * 128 * static_cast<double>(columns) / static_cast<double>(time.count());
    EXPECT_NEAR(rate / static_cast<double>(peak_flops_per_cycle({dtype, false, false}, tensor)), 1, 1e-4);
  }
  EXPECT_EQ(peak_flops_per_cycle({DType::kFp8E4M3, true, false}, tensor),
            2 * peak_flops_per_cycle({DType::kFp8E4M3, false, false}, tensor));
}

}  // namespace
}  // namespace trn
