// A configuration while its layers are put together: base, changes, overlays, --set.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/config/config_range.h"
#include "base/config/figure_tree.h"

namespace trn {

struct OverlayText {
  nlohmann::json body;
  std::string where;  // "file.json.overlays.clock"
};

struct ConfigContent {
  nlohmann::json root;                                     // the figures
  std::string foundation;                                  // name of the full document at the bottom
  std::string based_on;                                    // as the uppermost document says; "": it is full
  std::map<std::string, std::string> origins;              // of figures that a layer changed or added
  std::map<std::string, std::vector<std::string>> linked;  // keys that scale with a key
  std::map<std::string, OverlayText> overlays;
  std::vector<ConfigRange> ranges;
  std::vector<std::string> applied;  // overlays
  bool unlinked = false;             // nothing scales along

  std::string name() const { return text_of(root, "name"); }
  // Where a figure's value comes from: the layer, what it replaced, and where that came from.
  std::string origin(const std::string& key) const {
    const auto at = origins.find(key);
    return at == origins.end() ? foundation : at->second;
  }
};

}  // namespace trn
