// A transformer as its Hugging Face config.json describes it.
#pragma once

#include <cstdint>
#include <string>

namespace trn {

struct ModelSpec {
  std::string name;
  std::string model_type;
  std::uint64_t layers = 0;
  std::uint64_t hidden = 0;
  std::uint64_t heads = 0;
  std::uint64_t kv_heads = 0;
  std::uint64_t head_dim = 0;
  std::uint64_t intermediate = 0;  // of the dense MLP, or of one expert
  std::uint64_t vocab = 0;
  std::uint64_t experts = 0;  // 0: dense
  std::uint64_t experts_per_token = 0;
  bool tied_embeddings = false;
  bool qk_norm = false;

  std::uint64_t q_width() const { return heads * head_dim; }
  std::uint64_t kv_width() const { return kv_heads * head_dim; }

  // Parameters. `multiplied`: linear weights a token passes, LM head included, input embedding and norms not.
  std::uint64_t attention_parameters() const;  // of one layer
  std::uint64_t mlp_parameters() const;        // of one layer, all experts
  std::uint64_t norm_parameters() const;       // of the model
  std::uint64_t total_parameters() const;
  std::uint64_t active_parameters() const;  // experts_per_token of the experts; input embedding included
  std::uint64_t multiplied_parameters() const;
};

// Reads config.json text; ConfigError naming the key, or the model type that is not supported.
ModelSpec parse_model(const std::string& text, const std::string& name);

// A file, or a name in configs/models.
std::string model_text(const std::string& path);
ModelSpec load_model(const std::string& path);

}  // namespace trn
