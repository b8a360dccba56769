// Training steps whose linear layers multiply in FP8 or MX, on a model small enough for a test.
#include <gtest/gtest.h>

#include "base/error.h"
#include "sim/run/simulation.h"
#include "sim/run/training.h"

namespace trn {
namespace {

MachineConfig machine(const std::string& name, const std::vector<std::string>& sets = {}) {
  const MachineName parsed = parse_machine_name(name);
  ConfigDocument document = load_machine_document(parsed.config);
  for (const std::string& set : sets) document.set(set);
  return parse_machine(document, parsed.shape);
}

ModelSpec small_model(std::uint64_t layers = 3) {
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

TrainingPlan plan_of(Gemms gemms, Lowering lowering = Lowering::kFused) {
  TrainingPlan plan;
  plan.tp = 4;
  plan.fsdp = 16;
  plan.sequence = 1024;
  plan.global_batch = plan.fsdp;
  plan.gemms = gemms;
  plan.lowering = lowering;
  return plan;
}

// The array's time for products: without transposes and the limiter.
double product_us(const TrainingResult& r) {
  const EngineStats& s = r.run.engine(0, Engine::kTensor).stats;
  return to_us(s.array_busy - s.limiter_busy - s.transpose_busy);
}

// simulate_training checks that FLOPs and HBM bytes are those of the formulas; here that neither recompute
// nor lowering nor precision changes what is multiplied, and that rows sum to the step.
TEST(NarrowTraining, TheSameFlopsInEveryPrecision) {
  for (const Lowering lowering : {Lowering::kFused, Lowering::kCompiled})
    for (const Recompute recompute : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
      std::uint64_t flops = 0;
      double us = 1e9;
      for (const Gemms gemms : {Gemms::kBf16, Gemms::kFp8, Gemms::kMxfp8}) {
        TrainingPlan plan = plan_of(gemms, lowering);
        plan.recompute = recompute;
        const TrainingResult r = simulate_training(small_model(), plan, machine("trn3:server"));
        if (gemms == Gemms::kBf16) flops = r.run.array_flops;
        EXPECT_EQ(r.run.array_flops, flops);
        EXPECT_LT(product_us(r), us);
        us = product_us(r);
        Picoseconds sum;
        for (const LedgerRow& row : r.ledger) sum += row.time;
        EXPECT_EQ(sum, r.run.time);
      }
    }
}

// A rank's linear layers without the head: 3 layers x (512 x (1024 + 1024) + 1024 x 512 + 3 x 512 x 1024)
// parameters / 4 = 2,359,296; x 6 x 1024 tokens = 14,495,514,624 FLOPs. The head's 512 x 2048 / 4 and
// attention (3 layers x 3 passes x 4 heads x 64 x 1024^2 x 2) stay in bf16: 6 x 1024 x 262,144 +
// 4,831,838,208 = 6,442,450,944. A core has half, at 78.6432 TFLOPS: 40.960 us of bf16, and 92.160, 46.080
// or 23.040 us in bf16, FP8 or MX.
TEST(NarrowTraining, IdealMatmulIsAtThePrecisionsRate) {
  const std::pair<Gemms, double> rows[] = {
      {Gemms::kBf16, 92.160}, {Gemms::kFp8, 46.080}, {Gemms::kMxfp8, 23.040}};
  for (const auto& [gemms, us] : rows) {
    const TrainingResult r = simulate_training(small_model(), plan_of(gemms), machine("trn3:server"));
    EXPECT_EQ(r.flops.model_gemms, 14'495'514'624u);
    EXPECT_EQ(r.flops.model, 14'495'514'624u + 6'442'450'944u);
    EXPECT_NEAR(to_us(r.ledger[0].time), 40.960 + us, 0.001);
    // Adjusted by the same weights, MFU is the ideal row's share of the step.
    EXPECT_NEAR(r.adjusted_mfu, to_us(r.ledger[0].time) / to_us(r.run.time), 1e-6);
  }
}

TEST(NarrowTraining, IsNeverFasterThanItsRooflines) {
  for (const auto& [name, gemms] :
       {std::pair{"trn2:instance", Gemms::kFp8}, {"trn3:server", Gemms::kMxfp8}}) {
    const MachineConfig m = machine(name);
    for (const Lowering lowering : {Lowering::kFused, Lowering::kCompiled}) {
      const TrainingResult r = simulate_training(small_model(), plan_of(gemms, lowering), m);
      EXPECT_GE(r.run.time, r.ledger[0].time + r.ledger[1].time + r.ledger[2].time);
      EXPECT_GE(to_seconds(r.run.time), static_cast<double>((r.run.hbm_read + r.run.hbm_write).count()) /
                                            (static_cast<double>(m.hbm.stack_rate.count()) * 1e6));
    }
  }
}

// What the footprint counts is what the program declares.
TEST(NarrowTraining, FootprintCountsTheQuantisedCopies) {
  const auto row = [](const Footprint& f) {
    for (const FootprintRow& r : f.rows)
      if (r.name.rfind("quantised", 0) == 0) return r.bytes;
    return std::uint64_t{0};
  };
  const MachineConfig m = machine("trn3:server");
  for (const Lowering lowering : {Lowering::kFused, Lowering::kCompiled})
    for (const Gemms gemms : {Gemms::kFp8, Gemms::kMxfp8}) {
      const TrainingPlan plan = plan_of(gemms, lowering);
      std::uint64_t declared = 0;
      for (const TensorDecl& t : training_step(small_model(), plan, m).program.tensors)
        if (t.name.rfind("narrow_", 0) == 0 || t.name.rfind("fp8_", 0) == 0)
          declared += t.rows() * t.row_bytes();
      EXPECT_EQ(row(footprint(small_model(), plan, m)), declared);
    }
  EXPECT_EQ(row(footprint(small_model(), plan_of(Gemms::kBf16), m)), 0u);
}

// One rank that stands for all against every rank simulated.
TEST(NarrowTraining, OneRankForAllEqualsEveryRank) {
  struct Case {
    const char* machine;
    std::vector<std::string> sets;
    std::uint64_t tp, fsdp;
    Gemms gemms;
  };
  for (const Case& c :
       {Case{"trn2:instance", {"shapes.instance.dims=[2,2]", "collectives.slices=4"}, 4, 4, Gemms::kFp8},
        Case{"trn3:chip", {}, 2, 2, Gemms::kMxfp8}})
    for (const Lowering lowering : {Lowering::kFused, Lowering::kCompiled}) {
      const MachineConfig m = machine(c.machine, c.sets);
      TrainingPlan plan = plan_of(c.gemms, lowering);
      plan.tp = c.tp;
      plan.fsdp = plan.global_batch = c.fsdp;
      const double folded = to_us(simulate_training(small_model(2), plan, m).run.time);
      const double full = to_us(simulate_every_rank(small_model(2), plan, m).time);
      EXPECT_NEAR(folded, full, 1e-3 * full) << c.machine;
    }
}

// Trainium4's announced 3x FP8 and 6x FP4, as columns a cycle on Trn3: the array's products take less time,
// by no more than that.
TEST(NarrowTraining, ColumnsACycleSpeedUpTheProducts) {
  const double one =
      product_us(simulate_training(small_model(), plan_of(Gemms::kMxfp8), machine("trn3:server")));
  const double three =
      product_us(simulate_training(small_model(), plan_of(Gemms::kMxfp8),
                                   machine("trn3:server", {"neuron_core.tensor.mxfp8_columns_per_cycle=3"})));
  const TrainingResult six = simulate_training(
      small_model(), plan_of(Gemms::kMxfp4),
      machine("trn3:server",
              {"neuron_core.tensor.mxfp4_columns_per_cycle=6", "neuron_core.vector.quantize_mxfp4=true"}));
  EXPECT_EQ(six.gemm_speedup, 24);
  EXPECT_LT(three, one);
  EXPECT_LT(product_us(six), three);
  EXPECT_GT(three, one / 3);
}

std::string refusal(Gemms gemms, const std::string& name, std::uint64_t intermediate = 1024) {
  ModelSpec model = small_model();
  model.intermediate = intermediate;
  try {
    check_plan(plan_of(gemms), model, machine(name));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(NarrowTraining, WhatAMachineCannotMultiplyIsRefusedWithAWayOut) {
  EXPECT_EQ(refusal(Gemms::kMxfp8, "trn2:instance"),
            "layout: gemms mxfp8: trn2 has no MX instructions, NeuronCore-v4 has; use fp8 or bf16, or trn3");
  EXPECT_EQ(
      refusal(Gemms::kMxfp4, "trn3:server"),
      "layout: gemms mxfp4: no engine of trn3 writes FP4 (QuantizeMX makes FP8), and what a host quantised "
      "once does not follow training; use mxfp8, or ask what if with --set "
      "neuron_core.vector.quantize_mxfp4=true");
  EXPECT_EQ(
      refusal(Gemms::kMxfp8, "trn3:server", 1280),
      "layout: gemms mxfp8: a matrix of 320 columns a rank; MX contracts multiples of 128; use a smaller tp, "
      "or fp8");
  EXPECT_EQ(refusal(Gemms::kFp8, "trn2:instance"), "accepted");
  EXPECT_EQ(refusal(Gemms::kFp8, "trn3:server"), "accepted");
}

}  // namespace
}  // namespace trn
