// A figure nobody has published: the value taken, and how far it may be off.
#pragma once

#include <string>
#include <vector>

namespace trn {

struct ConfigRange {
  std::string key;
  std::string value;      // taken, as JSON
  std::string low, high;  // as JSON; of a name, the preset that gives less and the one that gives more
  bool high_is_better = true;
  bool in_interval = true;  // else another value is another question, as another number of chips is
  std::string label;        // "unannounced", unless the document has a better word
  std::string why, source, confidence;

  const std::string& pessimistic() const { return high_is_better ? low : high; }
  const std::string& optimistic() const { return high_is_better ? high : low; }
};

}  // namespace trn
