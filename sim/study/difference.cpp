#include "sim/study/difference.h"

#include <map>
#include <nlohmann/json.hpp>

namespace trn {

std::vector<ComparisonInput> changed_inputs(const Machine& a, const Machine& b) {
  std::map<std::string, ComparisonInput> rows;
  const auto add = [&](const Machine& machine, std::optional<ConfigFigure> ComparisonInput::*side) {
    const std::string shape = "shapes." + machine.shape + '.';
    const std::vector<ConfigFigure> figures = machine.document.figures();
    std::string links;
    for (const ConfigFigure& figure : figures)
      if (figure.key == shape + "links")
        links = "link_presets." + figure.value.substr(1, figure.value.size() - 2);
    for (const ConfigFigure& figure : figures) {
      std::string key = figure.key;
      if (key.rfind("link_presets.", 0) == 0 && (links.empty() || key.rfind(links + '.', 0) != 0)) continue;
      if (key.rfind("shapes.", 0) == 0) {
        if (key.rfind(shape, 0) != 0) continue;
        key = "shapes.<shape>." + key.substr(shape.size());
      }
      rows[key].key = key;
      rows[key].*side = figure;
    }
  };
  add(a, &ComparisonInput::a);
  add(b, &ComparisonInput::b);
  std::vector<ComparisonInput> out;
  for (auto& [key, row] : rows)
    if (!row.a || !row.b || row.a->value != row.b->value) out.push_back(std::move(row));
  return out;
}

std::vector<ComparisonOption> changed_options(const Question& a, const Question& b) {
  const nlohmann::ordered_json of_a = question_json(a).begin().value(),
                               of_b = question_json(b).begin().value();
  const auto text = [](const nlohmann::ordered_json& options, const std::string& key) {
    if (!options.contains(key)) return std::string("-");
    return options[key].is_string() ? options[key].get<std::string>() : options[key].dump();
  };
  std::vector<ComparisonOption> out;
  for (const auto* options : {&of_a, &of_b})
    for (const auto& item : options->items()) {
      const std::string& key = item.key();
      const bool figures = key == "machine" || key == "set";  // shown as what they change
      const bool seen = options == &of_b && of_a.contains(key);
      const ComparisonOption row{key, text(of_a, key), text(of_b, key)};
      if (!figures && !seen && row.a != row.b) out.push_back(row);
    }
  return out;
}

}  // namespace trn
