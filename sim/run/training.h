// Predicts a training step, and explains it.
#pragma once

#include <optional>

#include "sim/run/run_result.h"
#include "sim/run/simulation.h"
#include "workloads/flops.h"
#include "workloads/footprint.h"
#include "workloads/training_step.h"

namespace trn {

// A part of the step's time, on the array of the representative core.
struct LedgerRow {
  std::string name;
  Picoseconds time;
  std::vector<std::string> rests_on;  // the figures that set its pace: beginnings of their keys
};

struct Utilisation {
  std::string flops;        // convention
  std::string denominator;  // what 100 % is
  double value;
};

struct CollectiveUse {
  CollectiveSummary summary;
  double algbw_gb_per_s;
  double busbw_gb_per_s;
  Picoseconds bound;  // all of them
};

// Tokens/s with the machine's unannounced figures all at their worse, and all at their better end.
struct TokensInterval {
  double pessimistic, optimistic;
  std::string problem;  // why there are none: an end that does not fit, say
};

struct TrainingResult {
  std::string model;
  std::string machine;
  TrainingPlan plan;
  std::uint64_t chips = 0;
  RunResult run;
  RankFlops flops;
  double gemm_speedup = 1;  // of the plan's gemms over bf16, on the array
  HbmTraffic traffic;       // expected; run.hbm_read and run.hbm_write are counted
  Footprint footprint;
  std::vector<LedgerRow> ledger;  // sums to run.time exactly
  std::vector<FlopsConvention> conventions;
  std::vector<Utilisation> utilisation;
  double hfu = 0;
  // Causal MFU with FLOPs counted by the time they take: those of the plan's gemms 1 / gemm_speedup. Neuron's
  // adjusted FLOPs weigh FP8 x0.5 and MX x0.25.
  double adjusted_mfu = 0;
  double hbm_utilisation = 0;  // of the stack's peak
  std::vector<CollectiveUse> collectives;
  Picoseconds tensor_exposed, data_exposed;
  std::optional<TokensInterval> interval;  // if somebody has asked for it

  double tokens_per_second() const {
    return static_cast<double>(plan.tokens_per_step()) / to_seconds(run.time);
  }
};

// CapacityError with the footprint table when the plan does not fit.
TrainingResult simulate_training(const ModelSpec& model, const TrainingPlan& plan,
                                 const MachineConfig& machine, RunListener* listener = nullptr);

// The step's time with every rank of the machine simulated, for small models: what the above is checked
// against.
JobResult simulate_every_rank(const ModelSpec& model, const TrainingPlan& plan, const MachineConfig& machine,
                              RunListener* listener = nullptr);

}  // namespace trn
