// How a model is spread over a machine.
#pragma once

#include <string>

#include "models/machine_config.h"
#include "workloads/model_spec.h"

namespace trn {

enum class Recompute : std::uint8_t { kNone, kSelective, kFull };
enum class Lowering : std::uint8_t { kFused, kCompiled };
// What the linear layers multiply; attention and the LM head stay in bf16.
enum class Gemms : std::uint8_t { kBf16, kFp8, kMxfp8, kMxfp4 };
inline const std::vector<std::string> kRecomputeNames{"none", "selective", "full"};
inline const std::vector<std::string> kLoweringNames{"fused", "compiled"};
inline const std::vector<std::string> kGemmsNames{"bf16", "fp8", "mxfp8", "mxfp4"};

struct TrainingPlan {
  std::uint64_t tp = 1;    // ranks of a chip that share every matrix
  std::uint64_t fsdp = 1;  // ranks that share parameters and split the batch
  std::uint64_t lnc = 2;   // physical cores a rank
  std::uint64_t sequence = 4096;
  std::uint64_t micro_batch = 1;
  std::uint64_t global_batch = 1;
  Recompute recompute = Recompute::kSelective;
  Lowering lowering = Lowering::kCompiled;
  Gemms gemms = Gemms::kBf16;

  std::uint64_t micro_steps() const { return global_batch / (fsdp * micro_batch); }
  std::uint64_t tokens_per_step() const { return global_batch * sequence; }
};

// "tp=4,fsdp=16" into the plan. UsageError on unknown axes or values that are not positive integers.
void parse_layout(const std::string& text, TrainingPlan& plan);

// Everything must divide: ConfigError naming the axis, the number it must divide, and what would do.
void check_plan(const TrainingPlan& plan, const ModelSpec& model, const MachineConfig& machine);

std::uint64_t ranks_per_chip(const MachineConfig& machine, std::uint64_t lnc);

}  // namespace trn
