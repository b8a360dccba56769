// A value of a result file plus the path that led to it, so that every complaint can say where.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trn {

// Every accessor throws ConfigError "FILE: $.path: expected ..., found ...". Numbers are finite.
class JsonView {
 public:
  using Json = nlohmann::ordered_json;
  // `json` must outlive the view.
  JsonView(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  JsonView at(const std::string& key) const;                     // a key of an object
  std::optional<JsonView> find(const std::string& key) const;    // the same; nothing if absent or null
  std::vector<JsonView> items() const;                           // of an array
  std::vector<JsonView> items(const std::string& key) const;     // of an array that may be absent: then none
  std::vector<std::pair<std::string, JsonView>> fields() const;  // of an object, in its order

  double number() const;
  std::uint64_t count() const;  // an integer >= 0, also written 12.0
  std::string text() const;
  std::string label() const;  // a text, or a number or truth value as text
  bool is_object() const { return json_->is_object(); }

  double number(const std::string& key) const { return at(key).number(); }
  std::uint64_t count(const std::string& key) const { return at(key).count(); }
  std::string text(const std::string& key) const { return at(key).text(); }
  // "" where the key is absent.
  std::string text_or_none(const std::string& key) const;

  const Json& json() const { return *json_; }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  [[noreturn]] void expected(const std::string& what) const;

  const Json* json_;
  std::string path_;
};

}  // namespace trn
