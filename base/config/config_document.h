// A whole configuration file with the `--set` overrides that were applied to it.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/config/config_node.h"

namespace trn {

// One figure of a document, flattened for `config show` and `config diff`.
struct ConfigFigure {
  std::string key;  // dotted path without the leading "$."
  std::string value;
  std::string source;
  std::string confidence;
};

class ConfigDocument {
 public:
  // `name` labels error messages. Throws ConfigError with line and column on malformed JSON.
  static ConfigDocument parse(const std::string& text, const std::string& name);
  static ConfigDocument load(const std::string& path);

  ConfigDocument(ConfigDocument&&) noexcept;
  ConfigDocument& operator=(ConfigDocument&&) noexcept;
  ~ConfigDocument();

  // Applies "key=value": an absolute value, a factor ("4x", "0.5x") or a change ("+10%", "-10%"). The
  // leaf's source then names the override and the value it replaced, its confidence is "what-if".
  void set(const std::string& assignment);

  ConfigNode root() const;
  const std::string& name() const { return name_; }
  const std::vector<std::string>& overrides() const { return overrides_; }
  std::vector<ConfigFigure> figures() const;
  const nlohmann::json& json() const { return *json_; }

 private:
  ConfigDocument(nlohmann::json root, std::string name);

  std::unique_ptr<nlohmann::json> json_;
  std::string name_;
  std::vector<std::string> overrides_;
};

}  // namespace trn
