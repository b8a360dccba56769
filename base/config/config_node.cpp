#include "base/config/config_node.h"

#include <array>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

using nlohmann::json;

std::string shown(const json& value) {
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

}  // namespace

ConfigNode::ConfigNode(const json& json, std::string path) : json_(json), path_(std::move(path)) {
  if (!json_.is_object()) throw ConfigError(path_ + ": expected an object {...}, found " + shown(json_));
}

bool ConfigNode::has(const std::string& key) const { return json_.contains(key); }

std::vector<std::string> ConfigNode::keys() const {
  std::vector<std::string> names;
  for (const auto& item : json_.items()) names.push_back(item.key());
  return names;
}

ConfigNode ConfigNode::child(const std::string& key) {
  const json& value = get(key);
  if (!value.is_object()) fail(key, "expected an object {...}, found " + shown(value));
  return {value, path_ + '.' + key};
}

std::uint64_t ConfigNode::integer(const std::string& key) {
  const json& value = figure(key);
  if (!value.is_number_unsigned()) fail(key, "expected an integer >= 0, found " + shown(value));
  return value.get<std::uint64_t>();
}

std::uint64_t ConfigNode::positive(const std::string& key) {
  const json& value = figure(key);
  if (!value.is_number_unsigned() || value == 0) fail(key, "expected an integer > 0, found " + shown(value));
  return value.get<std::uint64_t>();
}

double ConfigNode::number(const std::string& key) {
  const json& value = figure(key);
  if (!value.is_number() || value.get<double>() < 0)
    fail(key, "expected a number >= 0, found " + shown(value));
  return value.get<double>();
}

bool ConfigNode::flag(const std::string& key) {
  const json& value = figure(key);
  if (!value.is_boolean()) fail(key, "expected true or false, found " + shown(value));
  return value.get<bool>();
}

std::vector<std::uint64_t> ConfigNode::positives(const std::string& key) {
  const json& value = figure(key);
  if (!value.is_array() || value.empty())
    fail(key, "expected an array of integers > 0, found " + shown(value));
  std::vector<std::uint64_t> numbers;
  for (const json& item : value) {
    if (!item.is_number_unsigned() || item == 0) fail(key, "expected integers > 0, found " + shown(item));
    numbers.push_back(item.get<std::uint64_t>());
  }
  return numbers;
}

std::vector<bool> ConfigNode::flags(const std::string& key) {
  const json& value = figure(key);
  if (!value.is_array()) fail(key, "expected an array of true and false, found " + shown(value));
  std::vector<bool> flags;
  for (const json& item : value) {
    if (!item.is_boolean()) fail(key, "expected true or false, found " + shown(item));
    flags.push_back(item.get<bool>());
  }
  return flags;
}

std::string ConfigNode::word(const std::string& key) {
  const json& value = figure(key);
  if (!value.is_string()) fail(key, "expected a string, found " + shown(value));
  return value.get<std::string>();
}

std::vector<ConfigNode> ConfigNode::rows(const std::string& key) {
  const json& value = figure(key);
  if (!value.is_array()) fail(key, "expected an array of objects, found " + shown(value));
  std::vector<ConfigNode> rows;
  for (const json& item : value) {
    rows.emplace_back(item, path_ + '.' + key + '[' + std::to_string(rows.size()) + ']');
    rows.back().plain_ = true;
  }
  return rows;
}

std::string ConfigNode::text(const std::string& key) {
  const json& value = get(key);
  if (!value.is_string()) fail(key, "expected a string, found " + shown(value));
  return value.get<std::string>();
}

std::vector<std::string> ConfigNode::texts(const std::string& key) {
  const json& value = get(key);
  if (!value.is_array()) fail(key, "expected an array of strings, found " + shown(value));
  std::vector<std::string> texts;
  for (const json& item : value) {
    if (!item.is_string()) fail(key, "expected strings, found " + shown(item));
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::string ConfigNode::label(const std::string& key) {
  const json& value = get(key);
  if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
  if (!value.is_string()) fail(key, "expected a name or a number, found " + shown(value));
  return value.get<std::string>();
}

void ConfigNode::reject_unknown_keys() const {
  const std::vector<std::string> known(read_.begin(), read_.end());
  for (const auto& item : json_.items())
    if (read_.count(item.key()) == 0) fail(item.key(), "unknown key" + suggestion(item.key(), known));
}

void ConfigNode::fail(const std::string& key, const std::string& what) const {
  throw ConfigError(path_ + '.' + key + ": " + what);
}

const json& ConfigNode::get(const std::string& key) {
  read_.insert(key);
  const auto it = json_.find(key);
  if (it == json_.end()) fail(key, "missing key" + std::string("; found: ") + join(keys()));
  return *it;
}

const json& ConfigNode::figure(const std::string& key) {
  const json& leaf = get(key);
  if (plain_) return leaf;
  if (!leaf.is_object() || !leaf.contains("value"))
    fail(key, R"(expected {"value": ..., "source": "...", "confidence": "..."}, found )" + shown(leaf));
  for (const auto& item : leaf.items()) {
    if (item.key() == "value") continue;
    if (item.key() != "source" && item.key() != "confidence" && item.key() != "note")
      fail(key + '.' + item.key(), "unknown key; known: value, source, confidence, note");
    if (!item.value().is_string())
      fail(key + '.' + item.key(), "expected a string, found " + shown(item.value()));
  }
  if (!leaf.contains("source")) fail(key + ".source", "missing key; every figure names its source");
  const std::string confidence = leaf.value("confidence", "");
  for (const std::string& known : kConfidences)
    if (confidence == known) return leaf["value"];
  fail(key + ".confidence", "expected one of " + join(kConfidences) + ", found \"" + confidence + '"');
}

}  // namespace trn
