// One layer of changes over a configuration, and what scales along with it.
#pragma once

#include "base/config/config_content.h"

namespace trn {

struct FigureChange {
  std::string key;
  std::string where;      // for complaints: "file.json.changes.hbm.stacks", "--set hbm.stacks=8"
  nlohmann::json change;  // {"value": v} or {"factor": f}; a plain value where the base has one
  std::string source;     // of the new figure
  std::string confidence;
  std::string note;  // empty: the figure keeps its own
};

struct Layer {
  std::string name;  // in origins: "trn4-whatif", "--set"
  std::vector<FigureChange> changes;
  std::string linked_confidence;  // of figures that scale along
  bool command_line = false;      // mistakes are UsageErrors, else ConfigErrors
};

// A figure that another one's change scaled.
struct LinkedChange {
  std::string key;
  std::string old_value, new_value;  // as JSON
  std::vector<std::string> causes;   // the keys it is linked to
  double factor;
};

// Applies the changes in order. A key that the layer changes itself is not scaled by its links. A range
// scales with its figure where that is scaled, by a link or a document's factor, and ends where it gets a
// value, or where the command line sets it.
std::vector<LinkedChange> apply_layer(ConfigContent& content, const Layer& layer);

}  // namespace trn
