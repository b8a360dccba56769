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

// "-10%" is a knob 10 % worse, whichever way that is for it.
std::string change_title(const std::string& change) {
  if (change == "-10%") return "10 % worse";
  if (change == "+10%") return "10 % better";
  return change == "2x" ? "2x as good" : change;
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
    const std::optional<JsonView> value = change.find("metric");  // none where it was refused
    if (!value) continue;
    const double effect = value->number() / base - 1;
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
  const std::vector<JsonView> knobs = root.items("knobs");
  const std::vector<std::string> names = change_names(knobs);
  Section s{"sensitivity", "Sensitivity", input.name};
  s.lead = "Change of " + metric.title + " against " + metric_cell(metric, base).text + " " + metric.unit +
           " on " + root.text("machine") +
           " when one knob of the machine gets worse or better and the rest stays; a latency is better when "
           "it is shorter. It is limited by " +
           root.text("limiter") + ".";
  s.table.columns = {{"label", "knob", "", Align::kText}, {"subsystem", "subsystem", "", Align::kText}};
  nlohmann::ordered_json changes = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < names.size(); ++c) {
    s.table.columns.push_back({"change" + std::to_string(c), change_title(names[c]), "%"});
    changes.push_back({{"key", "change" + std::to_string(c)}, {"name", change_title(names[c])}});
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

void add_break_even(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  Section s{"breakeven", "Break-even", input.name};
  const std::string until = root.text("until");
  const std::optional<JsonView> factor = root.find("factor");
  if (root.at("holds_already").label() == "true")
    s.lead = until + " holds already.";
  else if (factor)
    s.lead = until + " holds from " + root.text("knob") + ' ' + number_cell(factor->number(), 3).text +
             " times as good.";
  else
    s.lead = until + " is out of reach of " + root.text("knob") + ": then " + root.text("limiter_at_most") +
             " limits.";
  s.table.columns = {{"factor", "times as good", ""}};
  std::string metric;
  for (const JsonView& tried : root.items("tried")) {
    for (const auto& field : tried.fields())
      if (field.first != "factor") metric = field.first;
    const MetricStyle style = metric_named(metric);
    if (s.table.columns.size() < 2) s.table.columns.push_back({"metric", style.title, style.unit});
    s.table.rows.push_back(
        {number_cell(tried.number("factor"), 3), metric_cell(style, tried.number(metric))});
  }
  sections.push_back(std::move(s));
}

}  // namespace trn
