// A JSON object plus the path that led to it, so that every complaint can say where.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

namespace trn {

// How sure a figure is, the surest first; "what-if" is a figure that --set has changed.
inline const std::vector<std::string> kConfidences{"official", "measured", "press",
                                                   "inferred", "assumed",  "what-if"};

// Reads one JSON object key by key. Hardware figures are leaves of the form
//   {"value": 2400, "source": "...", "confidence": "one of kConfidences"}
// and a leaf without provenance is refused: every outside number says where it comes from.
class ConfigNode {
 public:
  ConfigNode(const nlohmann::json& json, std::string path);

  const std::string& path() const { return path_; }
  bool has(const std::string& key) const;
  std::vector<std::string> keys() const;

  ConfigNode child(const std::string& key);                      // an object without a figure of its own
  std::uint64_t integer(const std::string& key);                 // figure >= 0
  std::uint64_t positive(const std::string& key);                // figure > 0
  double number(const std::string& key);                         // figure >= 0, may have a fraction
  bool flag(const std::string& key);                             // figure true/false
  std::vector<std::uint64_t> positives(const std::string& key);  // figure: array of integers > 0
  std::vector<bool> flags(const std::string& key);               // figure: array of true/false
  std::string word(const std::string& key);                      // figure: string
  // Figure: array of objects, which share its source and confidence: their own keys hold plain values.
  std::vector<ConfigNode> rows(const std::string& key);

  std::string text(const std::string& key);                // plain string, no provenance
  std::vector<std::string> texts(const std::string& key);  // plain array of strings
  std::string label(const std::string& key);               // plain string or integer >= 0, as text

  // Call last: a key nobody read is a typo, not a comment.
  void reject_unknown_keys() const;

  // Throws ConfigError "<path>.<key>: <what>".
  [[noreturn]] void fail(const std::string& key, const std::string& what) const;

 private:
  const nlohmann::json& get(const std::string& key);
  const nlohmann::json& figure(const std::string& key);

  const nlohmann::json& json_;
  std::string path_;
  std::set<std::string> read_;
  bool plain_ = false;  // a row: values without provenance
};

}  // namespace trn
