#include "workloads/model_spec.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/config/config_folder.h"
#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

using nlohmann::json;

// Dense and MoE families whose layers are what ModelSpec can say.
struct Family {
  const char* model_type;
  bool qk_norm;
};
constexpr Family kFamilies[] = {{"qwen3", true}, {"llama", false}, {"qwen3_moe", true}, {"mixtral", false}};

class Reader {
 public:
  Reader(const json& config, std::string name) : config_(config), name_(std::move(name)) {}

  std::uint64_t positive(const std::string& key) const {
    const auto it = config_.find(key);
    if (it == config_.end()) fail(key, "missing key; is this a Hugging Face model config?");
    if (!it->is_number_unsigned() || *it == 0 || it->get<std::uint64_t>() > (1ull << 32))
      fail(key, "expected an integer > 0, found " + it->dump());
    return it->get<std::uint64_t>();
  }
  std::uint64_t positive_or(const std::string& key, std::uint64_t otherwise) const {
    return config_.contains(key) && !config_[key].is_null() ? positive(key) : otherwise;
  }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw ConfigError(name_ + ": " + key + ": " + what);
  }

 private:
  const json& config_;
  std::string name_;
};

std::string models_folder() { return config_folder() + "/models"; }

}  // namespace

std::uint64_t ModelSpec::attention_parameters() const {
  return 2 * hidden * q_width() + 2 * hidden * kv_width();
}
std::uint64_t ModelSpec::mlp_parameters() const {
  return experts == 0 ? 3 * hidden * intermediate : experts * 3 * hidden * intermediate + hidden * experts;
}
std::uint64_t ModelSpec::norm_parameters() const {
  return layers * (2 * hidden + (qk_norm ? 2 * head_dim : 0)) + hidden;
}
std::uint64_t ModelSpec::total_parameters() const {
  return layers * (attention_parameters() + mlp_parameters()) + norm_parameters() +
         (tied_embeddings ? 1 : 2) * vocab * hidden;
}
std::uint64_t ModelSpec::active_parameters() const {
  const std::uint64_t idle =
      experts == 0 ? 0 : layers * (experts - experts_per_token) * 3 * hidden * intermediate;
  return total_parameters() - idle;
}
std::uint64_t ModelSpec::multiplied_parameters() const {
  const std::uint64_t embedding = tied_embeddings ? 0 : vocab * hidden;
  return active_parameters() - norm_parameters() - embedding;
}

ModelSpec parse_model(const std::string& text, const std::string& name) {
  const json config = json::parse(text, nullptr, false);
  if (config.is_discarded() || !config.is_object())
    throw ConfigError(name + ": not a JSON object; expected a Hugging Face config.json");
  const Reader read(config, name);
  const std::string type = config.contains("model_type") && config["model_type"].is_string()
                               ? config["model_type"].get<std::string>()
                               : "";
  const Family* family = nullptr;
  std::vector<std::string> known;
  for (const Family& row : kFamilies) {
    known.emplace_back(row.model_type);
    if (type == row.model_type) family = &row;
  }
  if (family == nullptr)
    read.fail("model_type", (type.empty() ? "missing key" : "unsupported model type \"" + type + '"') +
                                "; supported: " + join(known));
  ModelSpec m;
  m.name = std::filesystem::path(name).filename().string();
  if (m.name.size() > 5 && m.name.substr(m.name.size() - 5) == ".json") m.name.resize(m.name.size() - 5);
  m.model_type = type;
  m.qk_norm = family->qk_norm;
  m.layers = read.positive("num_hidden_layers");
  m.hidden = read.positive("hidden_size");
  m.heads = read.positive("num_attention_heads");
  m.kv_heads = read.positive_or("num_key_value_heads", m.heads);
  // Never derived where the file says it: 8192 = 64 x 128 is not the 5120 of Qwen3-32B's hidden size.
  if (!config.contains("head_dim") && m.hidden % m.heads != 0)
    read.fail("head_dim", "missing key, and hidden_size is not a multiple of num_attention_heads");
  m.head_dim = read.positive_or("head_dim", m.hidden / m.heads);
  m.vocab = read.positive("vocab_size");
  m.tied_embeddings = config.value("tie_word_embeddings", false);
  if (config.contains("num_experts") || config.contains("num_local_experts")) {
    m.experts =
        config.contains("num_experts") ? read.positive("num_experts") : read.positive("num_local_experts");
    m.experts_per_token = read.positive("num_experts_per_tok");
    m.intermediate = read.positive_or("moe_intermediate_size", read.positive("intermediate_size"));
  } else {
    m.intermediate = read.positive("intermediate_size");
  }
  if (m.heads % m.kv_heads != 0)
    read.fail("num_key_value_heads",
              std::to_string(m.kv_heads) + " does not divide num_attention_heads " + std::to_string(m.heads));
  if (m.experts_per_token > m.experts) read.fail("num_experts_per_tok", "more than the experts there are");
  return m;
}

std::string model_text(const std::string& path) {
  const std::string bundled =
      models_folder() + '/' + path + (path.find(".json") == std::string::npos ? ".json" : "");
  std::error_code ignored;
  const bool use_bundled =
      !std::filesystem::exists(path, ignored) && std::filesystem::exists(bundled, ignored);
  return read_text_file(use_bundled ? bundled : path);
}

ModelSpec load_model(const std::string& path) { return parse_model(model_text(path), path); }

}  // namespace trn
