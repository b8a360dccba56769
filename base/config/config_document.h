// A whole configuration, put together from its layers, with the `--set` overrides that were applied to it.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/config/config_node.h"
#include "base/config/config_range.h"

namespace trn {

struct ConfigContent;

// One figure of a document, flattened for `config show` and `config diff`.
struct ConfigFigure {
  std::string key;  // dotted path without the leading "$."
  std::string value;
  std::string source;
  std::string confidence;
  std::string origin;  // the document or layer it is from, and what it was in those below
};

// A named set of changes that may be laid over a document: "trn4-whatif+clock".
struct ConfigOverlay {
  std::string name, note;
  bool offered;  // else `note` says why not
};

class ConfigDocument {
 public:
  // One text that builds on nothing. `name` labels error messages. Throws ConfigError with line and column
  // on malformed JSON.
  static ConfigDocument parse(const std::string& text, const std::string& name);
  static ConfigDocument load(const std::string& path);
  ConfigDocument(ConfigContent content, std::string name);

  ConfigDocument(ConfigDocument&&) noexcept;
  ConfigDocument& operator=(ConfigDocument&&) noexcept;
  ~ConfigDocument();
  ConfigDocument copy() const;

  // Applies "key=value": an absolute value, a factor ("4x", "0.5x") or a change ("+10%", "-10%"). The
  // leaf's source then names the override and the value it replaced, its confidence is "what-if".
  // Nothing scales along.
  void set(const std::string& assignment);
  // All of them; what is linked to a figure scales along, unless it is set itself or the document is
  // unlinked. What scaled is in overrides() and scaled_along().
  void set_linked(const std::vector<std::string>& assignments);

  ConfigNode root() const;
  const std::string& name() const { return name_; }
  const std::vector<std::string>& overrides() const { return overrides_; }
  const std::vector<std::string>& scaled_along() const { return scaled_along_; }  // lines for people
  std::vector<ConfigFigure> figures() const;
  const nlohmann::json& json() const;

  const std::string& foundation() const;  // name of the full document that all layers lie on
  const std::string& based_on() const;    // what the document builds on; "": it is full
  std::vector<ConfigOverlay> overlays() const;
  const std::vector<ConfigRange>& ranges() const;  // without those of figures that were set

 private:
  std::unique_ptr<ConfigContent> content_;
  std::string name_;
  std::vector<std::string> overrides_, scaled_along_;
};

}  // namespace trn
