#include "sim/run/confidence.h"

#include <algorithm>

#include "base/error.h"

namespace trn {
namespace {

bool starts_with(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

std::size_t level(const std::string& confidence) {
  const auto at = std::find(kConfidences.begin(), kConfidences.end(), confidence);
  TRN_CHECK(at != kConfidences.end(), "a figure without a level of confidence");
  return static_cast<std::size_t>(at - kConfidences.begin());
}

}  // namespace

std::vector<ConfidenceShare> confidence_shares(const TrainingResult& result, const ConfigDocument& document) {
  const std::string shape = "shapes." + result.machine.substr(result.machine.find(':') + 1) + '.';
  std::string preset = "link_presets.";  // the one this shape names, if any
  for (const ConfigFigure& figure : document.figures())
    if (figure.key == shape + "links") preset += figure.value.substr(1, figure.value.size() - 2) + '.';
  std::vector<ConfidenceShare> levels;
  for (const std::string& confidence : kConfidences) levels.push_back({confidence, Picoseconds(0), {}});
  std::vector<ConfigFigure> figures;
  for (ConfigFigure& figure : document.figures()) {
    if (starts_with(figure.key, "shapes.") && !starts_with(figure.key, shape)) continue;
    if (starts_with(figure.key, "link_presets.") && !starts_with(figure.key, preset)) continue;
    levels[level(figure.confidence)].keys.push_back(figure.key);
    figures.push_back(std::move(figure));
  }
  for (const LedgerRow& row : result.ledger) {
    std::size_t least = 0;
    for (const std::string& prefix : row.rests_on)
      for (const ConfigFigure& figure : figures)
        if (starts_with(figure.key, prefix)) least = std::max(least, level(figure.confidence));
    levels[least].time += row.time;
  }
  levels.erase(std::remove_if(levels.begin(), levels.end(),
                              [](const ConfidenceShare& share) { return share.keys.empty(); }),
               levels.end());
  return levels;
}

}  // namespace trn
