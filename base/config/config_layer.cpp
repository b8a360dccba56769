#include "base/config/config_layer.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "base/config/figure_change.h"
#include "base/config/figure_tree.h"
#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

using nlohmann::json;

[[noreturn]] void fail(const Layer& layer, const std::string& where, const std::string& what) {
  if (layer.command_line) throw UsageError(where + ": " + what);
  throw ConfigError(where + ": " + what);
}

[[noreturn]] void unknown_key(const ConfigContent& content, const Layer& layer, const FigureChange& change) {
  const std::string near = nearest_name(change.key, figure_keys(content.root));
  fail(layer, change.where,
       "unknown key " + change.key +
           (near.empty() ? "; `trnsim config show` lists them" : " (did you mean \"" + near + "\"?)"));
}

// What a changed figure was, for its origin.
std::string was(const ConfigContent& content, const std::string& key, const json& figure) {
  return "was " + value_text(figure["value"]) + " [" + text_of(figure, "confidence") + "] in " +
         content.origin(key);
}

// A name or a list without provenance, such as the standard of a DRAM.
void change_plain(ConfigContent& content, const Layer& layer, const FigureChange& change) {
  json* node = find_node(content.root, change.key);
  if (node == nullptr || layer.command_line) unknown_key(content, layer, change);
  if (node->is_object())
    fail(layer, change.where, "a group of keys; name one of them, or remove it and add another");
  if (node->type() != change.change.type())
    fail(layer, change.where,
         "expected a value like " + value_text(*node) + ", found " + value_text(change.change));
  *node = change.change;
}

// Returns what the figure was multiplied by; 0 where that means nothing.
double change_figure(ConfigContent& content, const Layer& layer, const FigureChange& change, json& figure) {
  if (!change.change.is_object())
    fail(layer, change.where,
         R"(expected {"value" or "factor": ..., "source": "...", "confidence": "..."}, found )" +
             value_text(change.change));
  const json old_value = figure["value"];
  ChangedValue changed = changed_value(old_value, change.change);
  if (!changed.problem.empty()) fail(layer, change.where, changed.problem);
  content.origins[change.key] = layer.name + ", " + was(content, change.key, figure);
  figure["value"] = changed.value;
  figure["source"] = change.source;
  figure["confidence"] = change.confidence;
  if (!change.note.empty()) figure["note"] = change.note;
  if (!old_value.is_number() || old_value.get<double>() == 0) return 0;
  return changed.value.get<double>() / old_value.get<double>();
}

std::string scaled_text(const std::string& text, double factor) {
  const ChangedValue scaled = changed_value(json::parse(text), json::object({{"factor", factor}}));
  return scaled.problem.empty() ? value_text(scaled.value) : text;
}

void scale_range(ConfigContent& content, const std::string& key, double factor) {
  for (ConfigRange& range : content.ranges) {
    if (range.key != key) continue;
    range.value = value_text((*find_figure(content.root, key))["value"]);
    range.low = scaled_text(range.low, factor);
    range.high = scaled_text(range.high, factor);
  }
}

// Somebody has said what it is.
void drop_range(ConfigContent& content, const std::string& key) {
  content.ranges.erase(std::remove_if(content.ranges.begin(), content.ranges.end(),
                                      [&](const ConfigRange& range) { return range.key == key; }),
                       content.ranges.end());
}

void scale(ConfigContent& content, const Layer& layer, LinkedChange& linked) {
  json& figure = *find_figure(content.root, linked.key);
  const ChangedValue changed = changed_value(figure["value"], json::object({{"factor", linked.factor}}));
  const std::string causes = join(linked.causes);
  if (!changed.problem.empty())
    fail(layer, layer.name, linked.key + " scales with " + causes + ": " + changed.problem);
  linked.old_value = value_text(figure["value"]);
  linked.new_value = value_text(changed.value);
  content.origins[linked.key] = layer.name + ", " + was(content, linked.key, figure);
  figure["value"] = changed.value;
  std::ostringstream source;
  source << linked.factor << "x with " << causes
         << ", to which it is linked; before: " << text_of(figure, "source");
  figure["source"] = source.str();
  figure["confidence"] = layer.linked_confidence;
  scale_range(content, linked.key, linked.factor);
}

}  // namespace

std::vector<LinkedChange> apply_layer(ConfigContent& content, const Layer& layer) {
  std::set<std::string> explicit_keys;
  for (const FigureChange& change : layer.changes) explicit_keys.insert(change.key);
  std::vector<LinkedChange> scaled;
  for (const FigureChange& change : layer.changes) {
    json* figure = find_figure(content.root, change.key);
    if (figure == nullptr) {
      change_plain(content, layer, change);
      continue;
    }
    const double factor = change_figure(content, layer, change, *figure);
    if (!layer.command_line && change.change.contains("factor"))
      scale_range(content, change.key, factor);
    else
      drop_range(content, change.key);
    const auto links = content.linked.find(change.key);
    if (content.unlinked || factor == 0 || factor == 1 || links == content.linked.end()) continue;
    for (const std::string& key : links->second) {
      if (explicit_keys.count(key) != 0) continue;
      auto at = std::find_if(scaled.begin(), scaled.end(),
                             [&](const LinkedChange& linked) { return linked.key == key; });
      if (at == scaled.end()) at = scaled.insert(scaled.end(), {key, "", "", {}, 1});
      at->causes.push_back(change.key);
      at->factor *= factor;
    }
  }
  for (LinkedChange& linked : scaled) scale(content, layer, linked);
  return scaled;
}

}  // namespace trn
