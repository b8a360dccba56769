#include "base/config/config_document.h"

#include <sstream>
#include <utility>

#include "base/config/config_layer.h"
#include "base/config/config_text.h"
#include "base/config/figure_change.h"
#include "base/config/figure_tree.h"
#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

using nlohmann::json;

// "--set key=4x" as a change of what stands there now.
FigureChange change_of_assignment(const std::string& assignment, json& root) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == assignment.size())
    throw UsageError("--set " + assignment + ": expected key=value, key=4x or key=+10%");
  FigureChange change;
  change.key = assignment.substr(0, equals);
  change.where = "--set " + assignment;
  change.source = change.where;
  change.confidence = "what-if";
  if (const json* figure = find_figure(root, change.key)) {
    change.source += " (was " + value_text((*figure)["value"]) + ": " + text_of(*figure, "confidence") +
                     ", " + text_of(*figure, "source") + ")";
    change.change = change_of_text(assignment.substr(equals + 1), (*figure)["value"]);
  }
  return change;
}

std::string linked_line(const std::vector<LinkedChange>& scaled) {
  std::ostringstream out;
  for (const LinkedChange& linked : scaled)
    out << (out.tellp() == 0 ? "" : ", ") << linked.key << ' ' << linked.old_value << " -> "
        << linked.new_value;
  out << " scale with " << join(scaled[0].causes) << " (linked; --unlinked for it alone)";
  return out.str();
}

}  // namespace

ConfigDocument::ConfigDocument(ConfigContent content, std::string name)
    : content_(std::make_unique<ConfigContent>(std::move(content))), name_(std::move(name)) {}
ConfigDocument::ConfigDocument(ConfigDocument&&) noexcept = default;
ConfigDocument& ConfigDocument::operator=(ConfigDocument&&) noexcept = default;
ConfigDocument::~ConfigDocument() = default;

ConfigDocument ConfigDocument::parse(const std::string& text, const std::string& name) {
  ConfigContent content;
  content.root = parse_config_text(text, name);
  return {std::move(content), name};
}

ConfigDocument ConfigDocument::load(const std::string& path) { return parse(read_text_file(path), path); }

ConfigDocument ConfigDocument::copy() const {
  ConfigDocument other(*content_, name_);
  other.overrides_ = overrides_;
  other.scaled_along_ = scaled_along_;
  return other;
}

void ConfigDocument::set(const std::string& assignment) {
  const bool unlinked = std::exchange(content_->unlinked, true);
  apply_layer(*content_, {"--set", {change_of_assignment(assignment, content_->root)}, "what-if", true});
  content_->unlinked = unlinked;
  overrides_.push_back(assignment);
}

void ConfigDocument::set_linked(const std::vector<std::string>& assignments) {
  Layer layer{"--set", {}, "what-if", true};
  for (const std::string& assignment : assignments)
    layer.changes.push_back(change_of_assignment(assignment, content_->root));
  const std::vector<LinkedChange> scaled = apply_layer(*content_, layer);
  overrides_.insert(overrides_.end(), assignments.begin(), assignments.end());
  for (const LinkedChange& linked : scaled) overrides_.push_back(linked.key + '=' + linked.new_value);
  if (!scaled.empty()) scaled_along_.push_back(linked_line(scaled));
}

ConfigNode ConfigDocument::root() const { return {content_->root, name_}; }
const json& ConfigDocument::json() const { return content_->root; }
const std::string& ConfigDocument::foundation() const { return content_->foundation; }
const std::string& ConfigDocument::based_on() const { return content_->based_on; }
const std::vector<ConfigRange>& ConfigDocument::ranges() const { return content_->ranges; }

std::vector<ConfigFigure> ConfigDocument::figures() const {
  std::vector<ConfigFigure> out;
  for (const std::string& key : figure_keys(content_->root)) {
    const auto& figure = *find_node(content_->root, key);
    out.push_back({key, value_text(figure["value"]), text_of(figure, "source"), text_of(figure, "confidence"),
                   content_->origin(key)});
  }
  return out;
}

std::vector<ConfigOverlay> ConfigDocument::overlays() const {
  std::vector<ConfigOverlay> out;
  for (const auto& [name, overlay] : content_->overlays) {
    const bool offered = !overlay.body.contains("refused");
    out.push_back({name, text_of(overlay.body, offered ? "note" : "refused"), offered});
  }
  return out;
}

}  // namespace trn
