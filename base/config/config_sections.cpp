#include "base/config/config_sections.h"

#include <algorithm>

#include "base/config/config_node.h"
#include "base/config/figure_tree.h"
#include "base/config/layered_config.h"
#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw ConfigError(where + ": " + what);
}

// An object of the document; an empty one where it has none.
const json& section(const json& object, const std::string& label, const char* key) {
  static const json empty = json::object();
  const auto at = object.find(key);
  if (at == object.end()) return empty;
  if (!at->is_object()) fail(label + '.' + key, "expected an object {...}, found " + value_text(*at));
  return *at;
}

std::vector<std::string> names(const json& value, const std::string& where) {
  const bool texts = value.is_array() && std::all_of(value.begin(), value.end(),
                                                     [](const json& item) { return item.is_string(); });
  if (!texts) fail(where, "expected an array of keys, found " + value_text(value));
  return value.get<std::vector<std::string>>();
}

std::string text(const json& object, const std::string& label, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_string())
    fail(label + '.' + key,
         at == object.end() ? "missing key" : "expected a string, found " + value_text(*at));
  return at->get<std::string>();
}

std::string confidence(const json& object, const std::string& label) {
  std::string found = text(object, label, "confidence");
  if (std::find(kConfidences.begin(), kConfidences.end(), found) == kConfidences.end())
    fail(label + ".confidence", "expected one of " + join(kConfidences) + ", found \"" + found + '"');
  return found;
}

[[noreturn]] void no_such_key(const ConfigContent& content, const std::string& where,
                              const std::string& key) {
  const std::string near = nearest_name(key, figure_keys(content.root));
  fail(where, content.foundation + " has no key " + key +
                  (near.empty() ? "; `trnsim config show` lists them" : " (did you mean \"" + near + "\"?)"));
}

// What is said of keys that are no more.
void forget(ConfigContent& content, const std::string& removed) {
  const auto gone = [&](const std::string& key) {
    return key == removed || key.rfind(removed + '.', 0) == 0;
  };
  auto& ranges = content.ranges;
  ranges.erase(
      std::remove_if(ranges.begin(), ranges.end(), [&](const ConfigRange& range) { return gone(range.key); }),
      ranges.end());
  for (auto& [key, linked] : content.linked)
    linked.erase(std::remove_if(linked.begin(), linked.end(), gone), linked.end());
}

// "shapes.flat" -> the object "shapes" and the name "flat".
json& parent_of(ConfigContent& content, const std::string& key, const std::string& where, std::string& leaf) {
  const std::size_t dot = key.rfind('.');
  leaf = dot == std::string::npos ? key : key.substr(dot + 1);
  json* parent = dot == std::string::npos ? &content.root : find_node(content.root, key.substr(0, dot));
  if (parent == nullptr || !parent->is_object() || is_figure(*parent))
    fail(where, content.foundation + " has no group " + key.substr(0, dot));
  return *parent;
}

bool is_linked(const ConfigContent& content, const std::string& key) {
  for (const auto& [cause, keys] : content.linked)
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) return true;
  return false;
}

void check_in_range(const ConfigRange& range, const json& value, const std::string& where) {
  const json low = json::parse(range.low), high = json::parse(range.high);
  const bool alike = low.type() == value.type() && high.type() == value.type();
  if (!alike && !(low.is_number() && high.is_number() && value.is_number()))
    fail(where, "expected low and high like the value taken, " + range.value + ", found " + range.low +
                    " and " + range.high);
  if (value.is_number() && !(low <= value && value <= high))
    fail(where, "the value taken, " + range.value + ", does not lie from " + range.low + " to " + range.high);
}

ConfigRange read_range(const std::string& key, const json& body, const std::string& where,
                       ConfigContent& content) {
  refuse_other_keys(body, where,
                    {"low", "high", "better", "in_interval", "label", "why", "source", "confidence"});
  const json* figure = find_figure(content.root, key);
  if (figure == nullptr) no_such_key(content, where, key);
  ConfigRange range;
  range.key = key;
  for (const char* end : {"low", "high"})
    if (!body.contains(end)) fail(where + '.' + end, "missing key");
  range.value = value_text((*figure)["value"]);
  range.low = value_text(body["low"]);
  range.high = value_text(body["high"]);
  const std::string better = body.contains("better") ? text(body, where, "better") : "high";
  if (better != "high" && better != "low") fail(where + ".better", "expected high or low");
  range.high_is_better = better == "high";
  if (body.contains("in_interval")) {
    if (!body["in_interval"].is_boolean()) fail(where + ".in_interval", "expected true or false");
    range.in_interval = body["in_interval"].get<bool>();
  }
  range.label = body.contains("label") ? text(body, where, "label") : "unannounced";
  range.why = text(body, where, "why");
  range.source = text(body, where, "source");
  range.confidence = confidence(body, where);
  check_in_range(range, (*figure)["value"], where);
  return range;
}

}  // namespace

void refuse_other_keys(const json& object, const std::string& label, const std::vector<std::string>& known) {
  if (!object.is_object()) fail(label, "expected an object {...}, found " + value_text(object));
  for (const auto& item : object.items())
    if (std::find(known.begin(), known.end(), item.key()) == known.end())
      fail(label + '.' + item.key(), "unknown key" + suggestion(item.key(), known));
}

void remove_keys(const json& document, const std::string& label, ConfigContent& content) {
  if (!document.contains("removed")) return;
  for (const std::string& key : names(document["removed"], label + ".removed")) {
    const std::string where = label + ".removed";
    if (find_node(content.root, key) == nullptr) no_such_key(content, where, key);
    std::string leaf;
    parent_of(content, key, where, leaf).erase(leaf);
    forget(content, key);
  }
}

void add_keys(const json& document, const std::string& label, ConfigContent& content) {
  const std::string layer = text(document, label, "name");
  for (const auto& item : section(document, label, "added").items()) {
    const std::string where = label + ".added." + item.key();
    std::string leaf;
    json& parent = parent_of(content, item.key(), where, leaf);
    if (parent.contains(leaf))
      fail(where, content.foundation + " has it already; change it, or remove it first");
    parent[leaf] = item.value();
    for (const std::string& key : figure_keys(item.value()))
      content.origins[key.empty() ? item.key() : item.key() + '.' + key] = layer;
  }
}

Layer read_changes(const json& object, const std::string& label, const std::string& layer_name,
                   const ConfigContent& content) {
  Layer layer{layer_name, {}, "assumed", false};
  for (const auto& item : section(object, label, "changes").items()) {
    FigureChange change;
    change.key = item.key();
    change.where = label + ".changes." + item.key();
    change.change = item.value();
    const json* node = find_node(content.root, change.key);
    if (node == nullptr) no_such_key(content, change.where, change.key);
    if (is_figure(*node)) {
      refuse_other_keys(item.value(), change.where, {"value", "factor", "source", "confidence", "note"});
      if (item.value().contains("value") == item.value().contains("factor"))
        fail(change.where, "expected a value or a factor");
      change.source = text(item.value(), change.where, "source");
      change.confidence = confidence(item.value(), change.where);
      if (item.value().contains("note")) change.note = text(item.value(), change.where, "note");
    }
    layer.changes.push_back(std::move(change));
  }
  return layer;
}

void doubt_inherited(const json& document, const std::string& label,
                     const std::map<std::string, std::string>& origins_below, ConfigContent& content) {
  if (!document.contains("inherited")) return;
  const auto level = [](const std::string& name) {
    return std::find(kConfidences.begin(), kConfidences.end(), name) - kConfidences.begin();
  };
  const std::string least = confidence({{"confidence", document["inherited"]}}, label + ".inherited");
  for (const std::string& key : figure_keys(content.root)) {
    const auto below = origins_below.find(key);
    const auto now = content.origins.find(key);
    const bool inherited =
        now == content.origins.end() || (below != origins_below.end() && below->second == now->second);
    json& figure = *find_figure(content.root, key);
    const std::string was = text_of(figure, "confidence");
    if (!inherited || level(was) >= level(least)) continue;
    content.origins[key] = text_of(document, "name") + ", as [" + was + "] in " + content.origin(key);
    figure["source"] = "as " + content.foundation + ": " + text_of(figure, "source");
    figure["confidence"] = least;
  }
}

void read_linked(const json& document, const std::string& label, ConfigContent& content) {
  for (const auto& item : section(document, label, "linked").items()) {
    const std::string where = label + ".linked." + item.key();
    const std::vector<std::string> keys = names(item.value(), where);
    std::vector<std::string> all = keys;
    all.push_back(item.key());
    for (const std::string& key : all) {
      const json* figure = find_figure(content.root, key);
      if (figure == nullptr) no_such_key(content, where, key);
      if (!(*figure)["value"].is_number()) fail(where, key + " is not a number and cannot scale");
    }
    if (std::find(keys.begin(), keys.end(), item.key()) != keys.end()) fail(where, "linked to itself");
    content.linked[item.key()] = keys;
  }
}

void read_ranges(const json& document, const std::string& label, ConfigContent& content) {
  for (const auto& item : section(document, label, "ranges").items()) {
    if (content.unlinked && is_linked(content, item.key()))
      continue;  // it stays where it is, and was asked to
    ConfigRange range = read_range(item.key(), item.value(), label + ".ranges." + item.key(), content);
    const auto same = std::find_if(content.ranges.begin(), content.ranges.end(),
                                   [&](const ConfigRange& other) { return other.key == range.key; });
    if (same == content.ranges.end())
      content.ranges.push_back(std::move(range));
    else
      *same = std::move(range);
  }
}

void read_overlays(const json& document, const std::string& label, ConfigContent& content) {
  for (const auto& item : section(document, label, "overlays").items()) {
    const std::string where = label + ".overlays." + item.key();
    if (item.key() == kUnlinked) fail(where, "every machine has this overlay; choose another name");
    if (item.key().find_first_of("+:/.") != std::string::npos || item.key().empty())
      fail(where, "a name without + : / and .");
    refuse_other_keys(item.value(), where, {"note", "changes", "refused"});
    text(item.value(), where, item.value().contains("refused") ? "refused" : "note");
    content.overlays[item.key()] = {item.value(), where};
  }
}

void apply_overlay(ConfigContent& content, const std::string& name) {
  const auto at = content.overlays.find(name);
  if (at == content.overlays.end()) {
    std::vector<std::string> known{kUnlinked};
    for (const auto& [other, overlay] : content.overlays)
      if (!overlay.body.contains("refused")) known.push_back(other);
    fail(content.name() + '+' + name, "unknown overlay" + suggestion(name, known));
  }
  if (at->second.body.contains("refused"))
    fail(content.name() + '+' + name, text_of(at->second.body, "refused"));
  apply_layer(content, read_changes(at->second.body, at->second.where, content.name() + '+' + name, content));
}

}  // namespace trn
