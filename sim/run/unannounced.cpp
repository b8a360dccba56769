#include "sim/run/unannounced.h"

#include <algorithm>

namespace trn {
namespace {

bool starts_with(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

std::string unquoted(const std::string& json) {
  return json.size() > 1 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
}

// "link_presets.NAME." of the preset whose rates the shape takes; empty if it has its own.
std::string preset_prefix(const ConfigDocument& document, const std::string& shape) {
  for (const ConfigFigure& figure : document.figures())
    if (figure.key == "shapes." + shape + ".links") return "link_presets." + unquoted(figure.value) + '.';
  return "";
}

bool looks_at(const std::string& key, const AnswerBasis& basis, const std::string& preset) {
  for (const char* always : {"neuron_core.dma.", "hbm.", "die_to_die."})
    if (starts_with(key, always)) return true;
  if (starts_with(key, "neuron_core.") || starts_with(key, "chip.")) return basis.engines;
  if (starts_with(key, "efa.")) return basis.domains;
  if (!basis.fabric) return false;
  if (starts_with(key, "shapes.")) return starts_with(key, "shapes." + basis.shape + '.');
  if (starts_with(key, "link_presets.")) return !preset.empty() && starts_with(key, preset);
  return true;
}

}  // namespace

std::vector<ConfigRange> ranges_of_answer(const ConfigDocument& document, const AnswerBasis& basis) {
  const std::string preset = preset_prefix(document, basis.shape);
  std::vector<ConfigRange> out;
  std::copy_if(document.ranges().begin(), document.ranges().end(), std::back_inserter(out),
               [&](const ConfigRange& range) { return looks_at(range.key, basis, preset); });
  return out;
}

std::vector<ConfigRange> ranges_of_training(const ConfigDocument& document, const std::string& shape) {
  return ranges_of_answer(document, {shape, true, true, false});
}

ConfigDocument at_end(const ConfigDocument& document, const std::vector<ConfigRange>& ranges, RangeEnd end) {
  ConfigDocument changed = document.copy();
  for (const ConfigRange& range : ranges)
    if (range.in_interval)
      changed.set(range.key + '=' +
                  unquoted(end == RangeEnd::kPessimistic ? range.pessimistic() : range.optimistic()));
  return changed;
}

}  // namespace trn
