// FLOPs a token, by every convention in use; one multiply-add is 2.
#pragma once

#include <string>
#include <vector>

#include "workloads/model_spec.h"

namespace trn {

struct FlopsConvention {
  std::string name;
  std::string meaning;
  std::uint64_t per_token;  // training: forward and backward
};

// N parameters, L layers, H heads of d, sequence s. Attention scores: 12 L H d s with the causal mask
// ignored, half of it counting the unmasked half only.
std::vector<FlopsConvention> training_flops(const ModelSpec& model, std::uint64_t sequence);
std::uint64_t flops_per_token(const ModelSpec& model, std::uint64_t sequence, const std::string& convention);

}  // namespace trn
