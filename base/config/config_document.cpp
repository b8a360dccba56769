#include "base/config/config_document.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

using nlohmann::json;

// A figure's text, empty where there is none: what is wrong with it is said when it is read.
std::string text_of(const json& node, const char* key) {
  const auto it = node.find(key);
  return it == node.end() || !it->is_string() ? "" : it->get<std::string>();
}

bool is_figure(const json& node) { return node.is_object() && node.contains("value"); }

void collect(const json& node, const std::string& path, std::vector<ConfigFigure>& out) {
  if (is_figure(node)) {
    out.push_back({path, node["value"].dump(-1, ' ', false, json::error_handler_t::replace),
                   text_of(node, "source"), text_of(node, "confidence")});
  } else if (node.is_object()) {
    for (const auto& item : node.items())
      collect(item.value(), path.empty() ? item.key() : path + '.' + item.key(), out);
  }
}

json* find_figure(json& root, const std::string& key) {
  json* node = &root;
  std::size_t begin = 0;
  while (begin <= key.size()) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    const auto it = node->is_object() ? node->find(key.substr(begin, end - begin)) : node->end();
    if (!node->is_object() || it == node->end()) return nullptr;
    node = &*it;
    begin = end + 1;
  }
  return is_figure(*node) ? node : nullptr;
}

// Parses the leading number of `text`; `rest` gets what follows it.
bool parse_number(const std::string& text, double& number, std::string& rest) {
  std::size_t used = 0;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    return false;
  }
  rest = text.substr(used);
  return std::isfinite(number);
}

json as_number_like(const json& old_value, double number) {
  if (old_value.is_number_float()) return number;
  return static_cast<std::uint64_t>(std::llround(number));
}

json scaled(const json& old_value, double factor, const std::string& where) {
  const auto one = [&](const json& value) {
    const double result = value.get<double>() * factor;
    if (!(result >= 0) || result > 9e18) throw UsageError(where + ": the result is negative or too large");
    return as_number_like(value, result);
  };
  if (old_value.is_number()) return one(old_value);
  if (!old_value.is_array()) throw UsageError(where + ": this key is not a number, give an absolute value");
  json result = json::array();
  for (const json& item : old_value) result.push_back(one(item));
  return result;
}

json new_value(const json& old_value, const std::string& text, const std::string& where) {
  if (old_value.is_string()) return text;
  double number = 0;
  std::string rest;
  if (parse_number(text, number, rest)) {
    if (rest == "x") return scaled(old_value, number, where);
    if (rest == "%" && (text[0] == '+' || text[0] == '-')) return scaled(old_value, 1 + number / 100, where);
  }
  json parsed = json::parse(text, nullptr, false);
  if (parsed.is_number() && parsed.get<double>() < 0)
    throw UsageError(where + ": negative values are not allowed");
  const bool same_kind = (parsed.is_number() && old_value.is_number()) || parsed.type() == old_value.type();
  if (!same_kind)
    throw UsageError(where + ": expected a value like " + old_value.dump() +
                     ", a factor like 4x or a change like +10%");
  if (old_value.is_number_unsigned() && parsed.is_number_float())
    throw UsageError(where + ": expected an integer, found " + text);
  return parsed;
}

}  // namespace

ConfigDocument::ConfigDocument(nlohmann::json root, std::string name)
    : json_(std::make_unique<nlohmann::json>(std::move(root))), name_(std::move(name)) {}
ConfigDocument::ConfigDocument(ConfigDocument&&) noexcept = default;
ConfigDocument& ConfigDocument::operator=(ConfigDocument&&) noexcept = default;
ConfigDocument::~ConfigDocument() = default;

ConfigDocument ConfigDocument::parse(const std::string& text, const std::string& name) {
  // The parser keeps the last of two equal keys silently; a repeated key is a mistake, so look for it.
  std::vector<std::set<std::string>> open;
  const auto callback = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    if (event == nlohmann::json::parse_event_t::object_start) open.emplace_back();
    if (event == nlohmann::json::parse_event_t::object_end) open.pop_back();
    if (event == nlohmann::json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      throw ConfigError(name + ": key \"" + parsed.get<std::string>() + "\" appears twice in one object");
    return true;
  };
  try {
    return ConfigDocument(nlohmann::json::parse(text, callback), name);
  } catch (const nlohmann::json::exception& error) {  // also numbers beyond a double
    const std::string what = error.what();
    const std::size_t at = what.find("at line");
    throw ConfigError(name + ": not valid JSON " + (at == std::string::npos ? what : what.substr(at)));
  }
}

ConfigDocument ConfigDocument::load(const std::string& path) { return parse(read_text_file(path), path); }

void ConfigDocument::set(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == assignment.size())
    throw UsageError("--set " + assignment + ": expected key=value, key=4x or key=+10%");
  const std::string key = assignment.substr(0, equals);
  const std::string where = "--set " + assignment;
  nlohmann::json* leaf = find_figure(*json_, key);
  if (leaf == nullptr) {
    std::vector<std::string> known;
    for (const ConfigFigure& figure : figures()) known.push_back(figure.key);
    const std::string near = nearest_name(key, known);
    throw UsageError(
        where + ": unknown key " + key +
        (near.empty() ? "; `trnsim config show` lists them" : " (did you mean \"" + near + "\"?)"));
  }
  const nlohmann::json old_value = (*leaf)["value"];
  (*leaf)["value"] = new_value(old_value, assignment.substr(equals + 1), where);
  (*leaf)["source"] = where + " (was " + old_value.dump() + ": " + text_of(*leaf, "confidence") + ", " +
                      text_of(*leaf, "source") + ")";
  (*leaf)["confidence"] = "what-if";
  overrides_.push_back(assignment);
}

ConfigNode ConfigDocument::root() const { return {*json_, name_}; }

std::vector<ConfigFigure> ConfigDocument::figures() const {
  std::vector<ConfigFigure> out;
  collect(*json_, "", out);
  return out;
}

}  // namespace trn
