// What a change of each figure of the machine does to the answer.
#include <algorithm>
#include <map>

#include "sim/report/page/metrics.h"
#include "sim/report/page/sections.h"

namespace trn {
namespace {

std::vector<std::string> change_names(const std::vector<JsonView>& knobs) {
  std::vector<std::string> names;
  for (const JsonView& knob : knobs)
    for (const JsonView& change : knob.items("changes"))
      if (std::find(names.begin(), names.end(), change.text("change")) == names.end())
        names.push_back(change.text("change"));
  return names;
}

struct KnobRow {
  double reach = 0;  // of its largest change
  std::vector<Cell> cells;
};

KnobRow knob_row(const JsonView& knob, const std::vector<std::string>& names, double base) {
  KnobRow row;
  row.cells = {text_cell(knob.text("label")), text_cell(knob.text("subsystem"))};
  std::map<std::string, double> effects;
  for (const JsonView& change : knob.items("changes")) {
    const double effect = change.number("metric") / base - 1;
    effects[change.text("change")] = effect;
    row.reach = std::max(row.reach, std::abs(effect));
  }
  for (const std::string& name : names)
    row.cells.push_back(effects.count(name) > 0 ? percent_cell(effects[name], 2) : no_cell());
  row.cells.push_back(text_cell(knob.text("verdict")));
  row.cells.push_back(text_cell(knob.text_or_none("limited_by")));
  row.cells.push_back(text_cell(knob.text("key")));
  return row;
}

}  // namespace

void add_sensitivity(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  const MetricStyle metric = metric_named(root.text("metric"));
  const double base = root.number("base");
  if (base <= 0) root.at("base").fail("expected a number > 0");
  const std::vector<JsonView> knobs = root.at("knobs").items();
  const std::vector<std::string> names = change_names(knobs);
  Section s{"sensitivity", "Sensitivity", input.name};
  s.lead = "Change of " + metric.title + " against " + metric_cell(metric, base).text + " " + metric.unit +
           " on " + root.text("machine") +
           " when one figure of the machine changes and the rest stays. It is limited by " +
           root.text("limiter") + ".";
  s.table.columns = {{"label", "figure", "", Align::kText}, {"subsystem", "subsystem", "", Align::kText}};
  nlohmann::ordered_json changes = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < names.size(); ++c) {
    s.table.columns.push_back({"change" + std::to_string(c), names[c], "%"});
    changes.push_back({{"key", "change" + std::to_string(c)}, {"name", names[c]}});
  }
  s.table.columns.insert(s.table.columns.end(), {{"verdict", "verdict", "", Align::kText},
                                                 {"limited_by", "limited by", "", Align::kText},
                                                 {"key", "key", "", Align::kCode}});
  std::vector<KnobRow> rows;
  for (const JsonView& knob : knobs) rows.push_back(knob_row(knob, names, base));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const KnobRow& a, const KnobRow& b) { return b.reach < a.reach; });
  for (KnobRow& row : rows) s.table.rows.push_back(std::move(row.cells));
  if (!s.table.rows.empty()) s.chart = "tornado";
  s.options = {{"changes", changes}, {"metric", metric.title}};
  sections.push_back(std::move(s));
}

}  // namespace trn
