// The evaluator against the event-by-event oracle, to the picosecond.
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "base/error.h"
#include "sim/run/simulation.h"
#include "tests/support/random_program.h"
#include "tests/support/reference_core.h"

namespace trn {
namespace {

void expect_equal(const RunResult& fast, const RunResult& slow, const std::string& what) {
  ASSERT_EQ(fast.time, slow.time) << what;
  EXPECT_EQ(fast.transfers, slow.transfers) << what;
  EXPECT_EQ(fast.dma_bytes, slow.dma_bytes) << what;
  EXPECT_EQ(fast.dma_active, slow.dma_active) << what;
  EXPECT_EQ(fast.hbm_read, slow.hbm_read) << what;
  EXPECT_EQ(fast.hbm_write, slow.hbm_write) << what;
  EXPECT_EQ(fast.fetched, slow.fetched) << what;
  EXPECT_EQ(fast.limiter_activations, slow.limiter_activations) << what;
  ASSERT_EQ(fast.engines.size(), slow.engines.size());
  for (std::size_t e = 0; e < fast.engines.size(); ++e) {
    const EngineStats& a = fast.engines[e].stats;
    const EngineStats& b = slow.engines[e].stats;
    EXPECT_EQ(a.instructions, b.instructions) << what << " engine " << e;
    EXPECT_EQ(a.busy, b.busy) << what << " engine " << e;
    EXPECT_EQ(a.semaphore_wait, b.semaphore_wait) << what << " engine " << e;
    EXPECT_EQ(a.conflict_wait, b.conflict_wait) << what << " engine " << e;
    EXPECT_EQ(a.limiter_stall, b.limiter_stall) << what << " engine " << e;
    EXPECT_EQ(a.table_loads, b.table_loads) << what << " engine " << e;
  }
}

MachineConfig machine(const std::string& name, const std::vector<std::string>& sets = {}) {
  ConfigDocument document = load_machine_document(name);
  for (const std::string& set : sets) document.set(set);
  return parse_machine(document, "chip");
}

class CoreOracle : public testing::TestWithParam<std::size_t> {};

TEST_P(CoreOracle, AgreesToThePicosecond) {
  const std::size_t cores = GetParam();
  const MachineConfig trn2 = machine("trn2");
  // A short queue, so that full rings block their engines; v2's exclusive ports and v4's
  // transposes beside other work, so that those are met too.
  const MachineConfig tight =
      machine("trn2", {"neuron_core.dma.queue_depth=2", "neuron_core.sequencer.fetch_block_bytes=1024",
                       "neuron_core.dma.start_skew_ns=300", "neuron_core.sbuf.vector_gpsimd_concurrent=false",
                       "neuron_core.psum.vector_scalar_concurrent=false",
                       "neuron_core.tensor.background_transpose=true"});
  for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
    RandomProgramOptions options;
    options.seed = seed;
    options.cores = cores;
    options.body_size = 4 + seed % 37;
    options.iterations = 1 + seed % 9;
    const Program program = random_program(options);
    const MachineConfig& m = seed % 3 == 0 ? tight : trn2;
    expect_equal(run_program(program, m), reference_run(program, m), "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

// A cleared semaphore can leave an engine waiting for ever: then it must in both.
std::optional<RunResult> unless_deadlock(const std::function<RunResult()>& run) {
  try {
    return run();
  } catch (const DeadlockError&) {
    return std::nullopt;
  }
}

TEST_P(CoreOracle, AgreesOnRunTimeControlFlow) {
  const MachineConfig trn2 = machine("trn2");
  const MachineConfig fetching = machine("trn2", {"neuron_core.sequencer.fetch_block_bytes=256"});
  int finished = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    RandomProgramOptions options;
    options.seed = seed;
    options.cores = GetParam();
    options.body_size = 4 + seed % 29;
    options.iterations = 1 + seed % 4;
    options.control = true;
    const Program program = random_program(options);
    const MachineConfig& m = seed % 2 == 0 ? fetching : trn2;
    const std::optional<RunResult> fast = unless_deadlock([&] { return run_program(program, m); });
    const std::optional<RunResult> slow = unless_deadlock([&] { return reference_run(program, m); });
    ASSERT_EQ(fast.has_value(), slow.has_value()) << "seed " << seed;
    if (!fast) continue;
    ++finished;
    expect_equal(*fast, *slow, "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(finished, 100);
}

INSTANTIATE_TEST_SUITE_P(OneCoreAndPair, CoreOracle, testing::Values(1, 2));

}  // namespace
}  // namespace trn
