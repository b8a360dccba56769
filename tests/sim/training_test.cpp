// Whole training steps on a model small enough for a test; every layer and instruction is simulated.
#include "sim/run/training.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/builder/rank_builder.h"
#include "kernels/gemm.h"
#include "kernels/pointwise.h"
#include "sim/run/confidence.h"
#include "sim/run/simulation.h"

namespace trn {
namespace {

MachineConfig machine(const std::string& name, const std::vector<std::string>& sets = {}) {
  const MachineName parsed = parse_machine_name(name);
  ConfigDocument document = load_machine_document(parsed.config);
  for (const std::string& set : sets) document.set(set);
  return parse_machine(document, parsed.shape);
}

ModelSpec small_model(std::uint64_t layers = 6) {
  ModelSpec m;
  m.name = "small";
  m.layers = layers;
  m.hidden = 512;
  m.heads = 16;
  m.kv_heads = 8;
  m.head_dim = 64;
  m.intermediate = 1024;
  m.vocab = 2048;
  m.qk_norm = true;
  return m;
}

TrainingPlan small_plan(std::uint64_t fsdp = 16) {
  TrainingPlan plan;
  plan.tp = 4;
  plan.fsdp = fsdp;
  plan.sequence = 1024;
  plan.global_batch = fsdp;
  return plan;
}

// simulate_training itself checks that the FLOPs counted from the Tensor instructions equal the model's plus
// the itemised extras, and that no collective beats its bound.
TEST(Training, TheLedgerSumsToTheStep) {
  for (const Lowering lowering : {Lowering::kFused, Lowering::kCompiled}) {
    for (const Recompute recompute : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
      TrainingPlan plan = small_plan();
      plan.lowering = lowering;
      plan.recompute = recompute;
      const TrainingResult r = simulate_training(small_model(), plan, machine("trn2:instance"));
      Picoseconds sum;
      for (const LedgerRow& row : r.ledger) sum += row.time;
      EXPECT_EQ(sum, r.run.time);
      EXPECT_EQ(r.run.array_flops, r.flops.executed());
    }
  }
}

// 2 FLOPs a multiply-add, 128 x 128 of them a cycle and core; the rank's stack gives at most its peak.
TEST(Training, IsNeverFasterThanItsRooflines) {
  for (const char* name : {"trn2:instance", "trn3:server"}) {
    const MachineConfig m = machine(name);
    const TrainingResult r = simulate_training(small_model(), small_plan(), m);
    const double seconds = to_seconds(r.run.time);
    EXPECT_GE(seconds, static_cast<double>(r.run.array_flops) / (2 * m.core_bf16_flops()));
    EXPECT_GE(seconds, static_cast<double>((r.run.hbm_read + r.run.hbm_write).count()) /
                           (static_cast<double>(m.hbm.stack_rate.count()) * 1e6));
  }
}

TEST(Training, FusedIsNeverSlowerThanCompiled) {
  for (const char* name : {"trn2:instance", "trn3:server"}) {
    TrainingPlan plan = small_plan();
    plan.lowering = Lowering::kFused;
    const Picoseconds fused = simulate_training(small_model(), plan, machine(name)).run.time;
    plan.lowering = Lowering::kCompiled;
    EXPECT_LE(fused, simulate_training(small_model(), plan, machine(name)).run.time) << name;
  }
}

TEST(Training, MoreRecomputeIsMoreWork) {
  std::vector<std::uint64_t> flops;
  for (const Recompute recompute : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
    TrainingPlan plan = small_plan();
    plan.recompute = recompute;
    flops.push_back(simulate_training(small_model(), plan, machine("trn2:instance")).run.array_flops);
  }
  EXPECT_LT(flops[0], flops[1]);
  EXPECT_LT(flops[1], flops[2]);
}

// More of any one thing does not make the step longer, beyond 2 % on a model as small as this: a faster
// collective takes a larger share of DMA and HBM while it lasts, and may delay a load the array waits for
// (docs/deviations.md#non-monotone).
TEST(Training, EachKnobMovesTheRightWay) {
  const double base =
      to_us(simulate_training(small_model(), small_plan(), machine("trn2:instance")).run.time);
  for (const char* set :
       {"hbm.stack_mb_per_s=2x", "shapes.instance.link_mb_per_s=2x", "neuron_core.tensor.clock_mhz=2x",
        "neuron_core.dma.engine_mb_per_s=2x", "neuron_core.vector.clock_mhz=2x", "die_to_die.mb_per_s=2x",
        "neuron_core.dma.hardware_interval_ns=0.5x"})
    EXPECT_LE(to_us(simulate_training(small_model(), small_plan(), machine("trn2:instance", {set})).run.time),
              1.02 * base)
        << set;
}

// Two sequences at once are the same products as one after the other, weights gathered and gradients reduced
// once instead of twice; with 1 KV head a rank, each core of a pair takes a sequence.
TEST(Training, AMicroBatchSharesTheWeights) {
  ModelSpec model = small_model();
  for (const std::uint64_t kv_heads : {std::uint64_t{8}, std::uint64_t{4}}) {
    model.kv_heads = kv_heads;
    TrainingPlan plan = small_plan();
    plan.global_batch = 2 * plan.fsdp;
    const TrainingResult one = simulate_training(model, plan, machine("trn2:instance"));
    plan.micro_batch = 2;
    const TrainingResult two = simulate_training(model, plan, machine("trn2:instance"));
    EXPECT_EQ(two.flops.model, one.flops.model);
    EXPECT_EQ(two.run.array_flops, one.run.array_flops);
    EXPECT_LT(two.run.time, one.run.time);
    const auto gathers = [](const TrainingResult& r) {
      std::uint64_t count = 0;
      for (const CollectiveSummary& c : r.run.collectives)
        if (c.axis == "fsdp") count += c.count;
      return count;
    };
    EXPECT_EQ(2 * gathers(two), gathers(one));
  }
}

// Every rate doubled and every latency halved: half the step, but for picosecond rounding of thousands of
// completions.
TEST(Training, ScalesWithTheMachine) {
  const std::vector<std::string> even{"neuron_core.dma.hardware_interval_ns=524",
                                      "neuron_core.dma.trigger_ns=74", "collectives.trigger_ns=24",
                                      "neuron_core.scalar.table_load_ns=1290"};
  std::vector<std::string> fast;
  for (const char* rate :
       {"neuron_core.tensor.clock_mhz", "neuron_core.vector.clock_mhz", "neuron_core.scalar.clock_mhz",
        "neuron_core.gpsimd.clock_mhz", "neuron_core.sync.clock_mhz", "neuron_core.dma.engine_mb_per_s",
        "hbm.stack_mb_per_s", "die_to_die.mb_per_s", "shapes.instance.link_mb_per_s"})
    fast.push_back(std::string(rate) + "=2x");
  for (const char* latency :
       {"neuron_core.tensor.limiter_window_ns", "neuron_core.semaphores.hop_ns",
        "neuron_core.semaphores.sibling_hop_ns", "neuron_core.dma.row_overhead_ps",
        "neuron_core.dma.trigger_latency_ns", "neuron_core.dma.completion_latency_ns",
        "collectives.step_latency_ns", "collectives.start_latency_ns", "shapes.instance.hop_latency_ns"})
    fast.push_back(std::string(latency) + "=0.5x");
  fast.insert(fast.end(), {"neuron_core.dma.hardware_interval_ns=262", "neuron_core.dma.trigger_ns=37",
                           "collectives.trigger_ns=12", "neuron_core.scalar.table_load_ns=645"});
  const double slow =
      to_us(simulate_training(small_model(), small_plan(), machine("trn2:instance", even)).run.time);
  EXPECT_NEAR(
      2 * to_us(simulate_training(small_model(), small_plan(), machine("trn2:instance", fast)).run.time),
      slow, 2e-5 * slow);
}

// Every part of the step rests on something: the shares sum to the step, and doubting the array's clock moves
// all of the useful matmul time to where the doubt is.
TEST(Training, SharesOfConfidenceSumToTheStep) {
  const TrainingResult r = simulate_training(small_model(), small_plan(), machine("trn2:instance"));
  ConfigDocument document = load_machine_document("trn2");
  const auto time_at = [&](const std::string& confidence) {
    Picoseconds sum;
    Picoseconds at;
    for (const ConfidenceShare& share : confidence_shares(r, document)) {
      sum += share.time;
      if (share.confidence == confidence) at = share.time;
    }
    EXPECT_EQ(sum, r.run.time);
    return at;
  };
  const Picoseconds sure = time_at("official");
  EXPECT_GE(sure, r.ledger[0].time);  // ideal matmul: clock, rows, columns
  EXPECT_EQ(time_at("what-if"), Picoseconds(0));
  document.set("neuron_core.tensor.clock_mhz=2401");
  EXPECT_GE(time_at("what-if"), r.ledger[0].time);
}

TEST(Training, SameInputSameResult) {
  const TrainingResult a = simulate_training(small_model(), small_plan(), machine("trn2:instance"));
  const TrainingResult b = simulate_training(small_model(), small_plan(), machine("trn2:instance"));
  EXPECT_EQ(a.run.time, b.run.time);
  EXPECT_EQ(a.run.instructions, b.run.instructions);
}

// Two micro-steps are two forward and backward passes and one optimizer.
TEST(Training, MicroStepsRepeatTheWork) {
  TrainingPlan plan = small_plan();
  const TrainingResult one = simulate_training(small_model(), plan, machine("trn2:instance"));
  plan.global_batch *= 2;
  const TrainingResult two = simulate_training(small_model(), plan, machine("trn2:instance"));
  EXPECT_EQ(two.run.array_flops, 2 * one.run.array_flops);
  EXPECT_GT(two.run.time, one.run.time);
  EXPECT_LE(to_us(two.run.time), 2.001 * to_us(one.run.time));
}

// One rank that stands for all against every rank simulated: 4 chips and 16 chips, two layers, and layouts
// whose data-parallel groups have several ranks on a chip. The folded run also waits for the last collective,
// the full one for the last instruction and transfer.
// The builder writes four micro-steps and makes the others a loop of loops: each of those must add the
// instructions of one exactly, and its time (the first and the last differ from those between).
TEST(Training, MicroStepsInALoopAreWhatTheWrittenOnesAre) {
  std::vector<RunResult> runs;
  for (const std::uint64_t micro_steps : {3u, 4u, 5u, 6u, 9u}) {
    TrainingPlan plan = small_plan();
    plan.global_batch = micro_steps * plan.fsdp;
    runs.push_back(simulate_training(small_model(), plan, machine("trn2:instance")).run);
  }
  const std::uint64_t one = runs[1].instructions - runs[0].instructions;  // written out
  const double time = to_us(runs[1].time) - to_us(runs[0].time);
  const std::uint64_t written[] = {0, 0, 1, 2, 5};
  for (std::size_t i = 2; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i].instructions - runs[1].instructions, written[i] * one);
    EXPECT_NEAR(to_us(runs[i].time) - to_us(runs[1].time), static_cast<double>(written[i]) * time,
                1e-3 * to_us(runs[i].time));
  }
}

TEST(Training, OneRankForAllEqualsEveryRank) {
  struct Case {
    const char* dims;
    std::uint64_t tp, fsdp;
  };
  for (const Case& c :
       {Case{"[2,2]", 4, 4}, Case{"[2,2]", 2, 8}, Case{"[2,2]", 1, 16}, Case{"[4,4]", 4, 16}}) {
    const MachineConfig m =
        machine("trn2:instance", {std::string("shapes.instance.dims=") + c.dims, "collectives.slices=4"});
    TrainingPlan plan = small_plan(c.fsdp);
    plan.tp = c.tp;
    const TrainingStep step = training_step(small_model(2), plan, m);
    const Job job = uniform_job(step.program, {{"tp", plan.tp}, {"fsdp", plan.fsdp}});
    const double folded = to_us(run_folded(job, m).time);
    const double full = to_us(run_every_rank(job, m).time);
    EXPECT_NEAR(folded, full, 1e-3 * full) << c.dims << " tp " << c.tp;
  }
}

template <class Error>
std::string refusal(const TrainingPlan& plan, const ModelSpec& model = small_model()) {
  try {
    simulate_training(model, plan, machine("trn2:instance"));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Training, ImpossibleLayoutsSayWhatWouldDo) {
  TrainingPlan plan = small_plan();
  plan.tp = 3;
  EXPECT_EQ(refusal<ConfigError>(plan), "layout: tp=3 does not divide 16 heads; use tp of 1, 2, 4");
  plan = small_plan();
  plan.fsdp = 8;
  EXPECT_EQ(refusal<ConfigError>(plan),
            "layout: tp=4 x fsdp=8 is 32 ranks; trn2:instance has 64 (LNC=2); use fsdp=16");
  plan = small_plan();
  plan.global_batch = 17;
  EXPECT_EQ(
      refusal<ConfigError>(plan),
      "layout: global batch 17 does not divide into micro-batches of 1 on fsdp=16; use a multiple of 16");
  plan = small_plan();
  plan.micro_batch = std::uint64_t{1} << 20;
  plan.global_batch = plan.micro_batch * plan.fsdp;
  EXPECT_EQ(refusal<ConfigError>(plan),
            "layout: sequence 1024 x micro-batch 1048576: a micro-step holds at most 2^28 tokens");
  ModelSpec large = small_model();
  large.layers = 2000;
  large.hidden = 8192;
  EXPECT_NE(refusal<CapacityError>(small_plan(), large).find("does not fit"), std::string::npos);
}

// A body whose repetitions are folded into a loop is the same program as one written out.
TEST(RankBuilder, ARepeatedBodyEqualsTheWrittenOutOne) {
  const MachineConfig m = machine("trn2:instance");
  const auto build = [&](bool folded) {
    constexpr std::uint64_t kTimes = 9;
    RankBuilder rank(m, "repeat", 2);
    const HbmTensor x = rank.hbm("x", DType::kBf16, (kTimes + 1) * 512, 256);
    const HbmTensor w = rank.hbm("w", DType::kBf16, kTimes * 256, 256);
    const HbmTensor y = rank.hbm("y", DType::kBf16, 512, 256);
    const auto body = [&](std::uint64_t i) {
      GemmOperands g;
      g.a = x, g.b = w, g.c = y;
      g.m = 512, g.k = 256, g.n = 256;
      g.a_transposed = true;
      g.a_row = i * 512, g.b_row = i * 256;
      GemmOptions options;
      options.order = GemmOrder::kStream;
      rank.collective("gather", {CollectiveOp::kAllGather, "fsdp", 4096, DType::kBf16, 1, 0}, {},
                      {{w, i * 256, 256, 0, 256}});
      rank.kernel("gemm", 512, 128,
                  [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) { gemm(core, g, options, b, e); });
      rank.kernel("add", 512, 128, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
        add_rows(core, {x, i * 512}, {y}, {x, (i + 1) * 512}, b, e);
      });
    };
    if (folded)
      rank.repeat(kTimes, body);
    else
      for (std::uint64_t i = 0; i < kTimes; ++i) rank.repeat(1, [&](std::uint64_t) { body(i); });
    return rank.take();
  };
  const Program folded = build(true);
  const Program written = build(false);
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t e = 0; e < kEngineCount; ++e)
      EXPECT_EQ(expand(folded.cores[c].streams[e]), expand(written.cores[c].streams[e])) << c << ' ' << e;
}

}  // namespace
}  // namespace trn
