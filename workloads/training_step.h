// One optimizer step of a dense transformer as the program of one rank.
#pragma once

#include "isa/program.h"
#include "kernels/traffic.h"
#include "workloads/layout.h"

namespace trn {

// FLOPs of one rank in a step, by what they are for; `executed` is what the array must count.
struct RankFlops {
  std::uint64_t model = 0;      // causal, multiplied parameters only
  std::uint64_t recompute = 0;  // forward work done again in the backward pass
  std::uint64_t masked = 0;     // masked corners of attention tiles
  // Parts of the above in the gemms that take the plan's precision.
  std::uint64_t model_gemms = 0;
  std::uint64_t recompute_gemms = 0;
  std::uint64_t executed() const { return model + recompute + masked; }
  // FLOPs in bf16 that take the array as long, the plan's gemms being `speedup` times as fast.
  double executed_as_bf16(double speedup) const {
    const std::uint64_t gemms = model_gemms + recompute_gemms;
    return static_cast<double>(executed() - gemms) + static_cast<double>(gemms) / speedup;
  }
};

// Without building the step.
RankFlops step_flops(const ModelSpec& model, const TrainingPlan& plan);

struct TrainingStep {
  Program program;
  RankFlops flops;
  HbmTraffic traffic;  // of the kernels' transfers, from their loop nests
};

// Mesh axes: "tp" inside the chip, "fsdp" over the chips. Streams: 0 tensor parallel, 1 parameter gathers,
// 2 gradient scatters.
TrainingStep training_step(const ModelSpec& model, const TrainingPlan& plan, const MachineConfig& machine);

}  // namespace trn
