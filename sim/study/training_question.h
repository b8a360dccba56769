// A training step as users ask for it, and what that means.
#pragma once

#include <optional>
#include <string>

#include "sim/run/training.h"
#include "sim/study/machine_choice.h"

namespace trn {

struct TrainingQuestion {
  MachineChoice machine{"trn2:instance", {}};
  std::string model;   // config.json, or a name in configs/models
  std::string layout;  // "tp=4,fsdp=16"; fsdp left out takes all ranks of the machine
  std::uint64_t sequence = 4096;
  std::uint64_t micro_batch = 1;
  std::uint64_t global_batch = 0;                // sequences of a step; or
  std::optional<std::uint64_t> tokens_per_step;  // instead of it
  std::uint64_t lnc = 2;
  std::string recompute = "auto";  // the least that fits; if none does, the most
  std::string lowering = "compiled";
  std::string gemms = "bf16";
};

struct TrainingSetting {
  ModelSpec model;
  TrainingPlan plan;
};

// UsageError or ConfigError naming the option; a plan that does not fit in HBM is not refused yet.
TrainingSetting training_setting(const TrainingQuestion& question, const MachineConfig& machine);

}  // namespace trn
