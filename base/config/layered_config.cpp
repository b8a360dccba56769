#include "base/config/layered_config.h"

#include <algorithm>
#include <filesystem>

#include "base/config/config_folder.h"
#include "base/config/config_sections.h"
#include "base/config/config_text.h"
#include "base/config/figure_tree.h"
#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.find(".json") != std::string::npos;
}

bool asks_for_unlinked(const LayeredName& name) {
  return std::find(name.overlays.begin(), name.overlays.end(), kUnlinked) != name.overlays.end();
}

class LayerReader {
 public:
  LayerReader(const ConfigLibrary& library, bool unlinked) : library_(library), unlinked_(unlinked) {}

  ConfigContent read_named(const std::string& name) {
    const LayeredName parts = split_overlays(name);
    ConfigContent content = read_file(named_file(library_.folder, library_.what, parts.document));
    lay_over(content, parts.overlays);
    return content;
  }

  ConfigContent read_text(const std::string& content, const std::string& label) {
    const json document = parse_config_text(content, label);
    if (document.is_object() && document.contains("based_on")) return read_layer(document, label);
    return read_full(document, label);
  }

 private:
  ConfigContent read_file(const std::string& path) {
    const std::string canonical = fs::weakly_canonical(path).string();
    const bool circle = std::find(open_.begin(), open_.end(), canonical) != open_.end();
    open_.push_back(canonical);
    if (circle) throw ConfigError(path + ": based_on goes round in a circle: " + join(open_, " -> "));
    ConfigContent content = read_text(read_text_file(path), path);
    open_.pop_back();
    return content;
  }

  ConfigContent read_full(const json& document, const std::string& label) {
    ConfigContent content;
    content.unlinked = unlinked_;
    content.root = document;
    if (!document.is_object()) return content;  // said when it is read
    for (const char* key : {"linked", "overlays", "ranges"}) content.root.erase(key);
    content.foundation = text_of(document, "name");
    read_sections(document, label, content);
    return content;
  }

  ConfigContent read_layer(const json& document, const std::string& label) {
    refuse_other_keys(document, label,
                      {"name", "based_on", "note", "removed", "added", "changes", "inherited", "linked",
                       "overlays", "ranges"});
    for (const char* key : {"name", "based_on"})
      if (text_of(document, key).empty()) throw ConfigError(label + '.' + key + ": expected a name");
    ConfigContent content = read_base(text_of(document, "based_on"), label);
    content.based_on = text_of(document, "based_on");
    const std::map<std::string, std::string> origins_below = content.origins;
    remove_keys(document, label, content);
    add_keys(document, label, content);
    apply_layer(content, read_changes(document, label, text_of(document, "name"), content));
    content.root["name"] = document["name"];
    doubt_inherited(document, label, origins_below, content);
    read_sections(document, label, content);
    return content;
  }

  // A base with a path lies beside the document that names it.
  ConfigContent read_base(const std::string& base, const std::string& label) {
    const LayeredName parts = split_overlays(base);
    unlinked_ = unlinked_ || asks_for_unlinked(parts);
    try {
      const fs::path beside = fs::path(label).parent_path() / parts.document;
      ConfigContent content =
          read_file(is_path(parts.document) ? beside.string()
                                            : named_file(library_.folder, library_.what, parts.document));
      lay_over(content, parts.overlays);
      return content;
    } catch (const ConfigError& error) {
      throw ConfigError(label + ".based_on: " + error.what());
    }
  }

  static void read_sections(const json& document, const std::string& label, ConfigContent& content) {
    read_linked(document, label, content);
    read_overlays(document, label, content);
    read_ranges(document, label, content);
    for (const auto& [name, overlay] : content.overlays) {  // nonsense is told before anybody asks for it
      if (overlay.body.contains("refused")) continue;
      ConfigContent trial = content;
      apply_overlay(trial, name);
    }
  }

  void lay_over(ConfigContent& content, const std::vector<std::string>& overlays) const {
    const std::string name = content.name();
    std::string full = name;
    for (const std::string& overlay : overlays) {
      if (std::find(content.applied.begin(), content.applied.end(), overlay) != content.applied.end())
        throw ConfigError(full + '+' + overlay + ": an overlay is laid over once");
      content.root["name"] = name;
      if (overlay != kUnlinked) apply_overlay(content, overlay);
      content.applied.push_back(overlay);
      full += '+' + overlay;
    }
    if (!overlays.empty()) content.root["name"] = full;
  }

  const ConfigLibrary& library_;
  bool unlinked_;
  std::vector<std::string> open_;  // documents that are being read
};

}  // namespace

LayeredName split_overlays(const std::string& name) {
  const std::size_t json_end = name.rfind(".json");
  const std::size_t slash = name.rfind('/');
  std::size_t begin = json_end != std::string::npos ? json_end : slash == std::string::npos ? 0 : slash;
  begin = std::min(name.find('+', begin), name.size());
  LayeredName parts{name.substr(0, begin), {}};
  if (begin < name.size()) parts.overlays = split(name.substr(begin + 1), '+');
  return parts;
}

std::string unlinked_name(const std::string& name) {
  return asks_for_unlinked(split_overlays(name)) ? name : name + '+' + kUnlinked;
}

ConfigDocument load_layered(const ConfigLibrary& library, const std::string& name) {
  const LayeredName parts = split_overlays(name);
  const std::string path = named_file(library.folder, library.what, parts.document);
  return {LayerReader(library, asks_for_unlinked(parts)).read_named(name), path};
}

ConfigDocument parse_layered(const ConfigLibrary& library, const std::string& text,
                             const std::string& label) {
  return {LayerReader(library, false).read_text(text, label), label};
}

}  // namespace trn
