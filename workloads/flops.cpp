#include "workloads/flops.h"

#include "base/error.h"

namespace trn {

std::vector<FlopsConvention> training_flops(const ModelSpec& model, std::uint64_t sequence) {
  const std::uint64_t attention = 12 * model.layers * model.q_width() * sequence;
  const std::uint64_t n = model.active_parameters();
  const std::uint64_t no_embedding = n - (model.tied_embeddings ? 0 : model.vocab * model.hidden);
  return {{"6N+attn", "6 x all parameters, attention uncausal", 6 * n + attention},
          {"palm", "6 x parameters without the input embedding, attention uncausal",
           6 * no_embedding + attention},
          {"6N+attn/2", "6 x all parameters, attention causal", 6 * n + attention / 2},
          {"palm/2", "6 x parameters without the input embedding, attention causal",
           6 * no_embedding + attention / 2},
          {"causal", "6 x multiplied parameters, attention causal",
           6 * model.multiplied_parameters() + attention / 2}};
}

std::uint64_t flops_per_token(const ModelSpec& model, std::uint64_t sequence, const std::string& convention) {
  for (const FlopsConvention& row : training_flops(model, sequence))
    if (row.name == convention) return row.per_token;
  TRN_CHECK(false, "no such FLOPs convention");
}

}  // namespace trn
