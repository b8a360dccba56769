// A study: metrics over axes, the front of what is worth having, and what is impossible.
#include <algorithm>

#include "base/text.h"
#include "sim/report/page/metrics.h"
#include "sim/report/page/sections.h"

namespace trn {
namespace {

struct StudyShape {
  std::vector<std::string> axes;
  std::vector<MetricStyle> metrics;  // that occur, in order of first occurrence
};

StudyShape shape_of(const JsonView& root) {
  StudyShape shape;
  for (const JsonView& axis : root.at("axes").items()) shape.axes.push_back(axis.text("name"));
  for (const JsonView& point : root.at("points").items()) {
    const std::optional<JsonView> metrics = point.find("metrics");
    if (!metrics) continue;
    for (const auto& field : metrics->fields()) {
      const auto same = [&](const MetricStyle& m) { return m.key == field.first; };
      if (std::none_of(shape.metrics.begin(), shape.metrics.end(), same))
        shape.metrics.push_back(metric_named(field.first));
    }
  }
  return shape;
}

Cell coordinate(const JsonView& coordinates, const std::string& axis) {
  const std::optional<JsonView> value = coordinates.find(axis);
  return value ? text_cell(value->label()) : no_cell();
}

std::vector<Cell> point_row(const JsonView& point, const StudyShape& shape) {
  std::vector<Cell> row{count_cell(point.count("index"))};
  for (const std::string& axis : shape.axes) row.push_back(coordinate(point.at("coordinates"), axis));
  const std::optional<JsonView> metrics = point.find("metrics");
  for (const MetricStyle& metric : shape.metrics) {
    const std::optional<JsonView> value = metrics ? metrics->find(metric.key) : std::nullopt;
    row.push_back(value ? metric_cell(metric, value->number()) : no_cell());
  }
  row.push_back(text_cell(point.text_or_none("limiter")));
  const std::string reason = point.text_or_none("reason");
  row.push_back(text_cell(point.text("state") + (reason.empty() ? "" : ": " + reason)));
  return row;
}

Table point_table(const JsonView& root, const StudyShape& shape) {
  Table table{{{"index", "point", ""}}, {}};
  for (std::size_t a = 0; a < shape.axes.size(); ++a)
    table.columns.push_back({"axis" + std::to_string(a), shape.axes[a], "", Align::kText});
  for (std::size_t m = 0; m < shape.metrics.size(); ++m)
    table.columns.push_back({"metric" + std::to_string(m), shape.metrics[m].title, shape.metrics[m].unit});
  table.columns.push_back({"limiter", "what limits", "", Align::kText});
  table.columns.push_back({"state", "state", "", Align::kText});
  for (const JsonView& point : root.at("points").items()) table.rows.push_back(point_row(point, shape));
  return table;
}

// What the charts need besides the table: which columns are axes, with their values in order, and metrics.
nlohmann::ordered_json chart_options(const JsonView& root, const StudyShape& shape) {
  nlohmann::ordered_json options{{"axes", nlohmann::ordered_json::array()},
                                 {"metrics", nlohmann::ordered_json::array()}};
  std::size_t number = 0;
  for (const JsonView& axis : root.at("axes").items()) {
    std::vector<std::string> values;
    for (const JsonView& value : axis.at("values").items()) values.push_back(value.label());
    options["axes"].push_back(
        {{"key", "axis" + std::to_string(number++)}, {"title", axis.text("name")}, {"values", values}});
  }
  for (std::size_t m = 0; m < shape.metrics.size(); ++m) {
    const MetricStyle& metric = shape.metrics[m];
    options["metrics"].push_back({{"key", "metric" + std::to_string(m)},
                                  {"name", metric.key},
                                  {"title", metric.title},
                                  {"unit", metric.unit},
                                  {"decimals", metric.decimals},
                                  {"more_is_better", metric.more_is_better}});
  }
  return options;
}

std::string count_line(const JsonView& root) {
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t missing = 0;
  for (const JsonView& point : root.at("points").items()) {
    const std::string state = point.text("state");
    if (state != "done" && state != "failed" && state != "missing")
      point.at("state").fail("expected done, failed or missing, found \"" + state + '"');
    ++(state == "done" ? done : state == "failed" ? failed : missing);
  }
  return count_cell(done).text + " points done, " + count_cell(failed).text + " failed, " +
         count_cell(missing).text + " missing, " + count_cell(root.items("impossible").size()).text +
         " impossible.";
}

}  // namespace

void add_study(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  const StudyShape shape = shape_of(root);
  Section map{"study", "Study: " + root.text("name"), input.name};
  map.names_page = map.title;
  map.lead = count_line(root);
  map.table = point_table(root, shape);
  Section front{"front", "Pareto front", input.name};
  front.lead = "Points that no other point beats in both figures at once.";
  const bool any = !shape.metrics.empty();
  if (any) {
    map.chart = "heatmap";
    map.options = front.options = chart_options(root, shape);
    map.notes.push_back("Where several points fall into a cell, it shows the best of them.");
  }
  const std::string table = map.id;
  sections.push_back(std::move(map));
  if (shape.metrics.size() > 1) {
    front.chart = "pareto";
    front.table_of = table;
    sections.push_back(std::move(front));
  }
  add_impossible(input, sections);
}

void add_impossible(const ReportInput& input, Sections& sections) {
  const std::vector<JsonView> points = input.root().items("impossible");
  if (points.empty()) return;
  Section s{"impossible", "Impossible points", input.name};
  s.lead = "Refused before anything was simulated, and why.";
  s.filter = true;
  // What a point is: its coordinates, or all it has besides the reason.
  const auto place = [](const JsonView& point) { return point.find("coordinates").value_or(point); };
  std::vector<std::string> axes;
  for (const JsonView& point : points)
    for (const auto& field : place(point).fields())
      if (field.first != "reason" && std::find(axes.begin(), axes.end(), field.first) == axes.end())
        axes.push_back(field.first);
  for (const std::string& axis : axes) s.table.columns.push_back({axis, axis, "", Align::kText});
  s.table.columns.push_back({"reason", "reason", "", Align::kText});
  for (const JsonView& point : points) {
    std::vector<Cell> row;
    for (const std::string& axis : axes) row.push_back(coordinate(place(point), axis));
    row.push_back(text_cell(point.text("reason")));
    s.table.rows.push_back(std::move(row));
  }
  sections.push_back(std::move(s));
}

void add_search(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  Section s{"search", "Layout search", input.name};
  s.names_page = s.title;
  s.lead = count_cell(root.items("rows").size()).text + " layouts simulated, " +
           count_cell(root.count("pruned")).text + " pruned, " +
           count_cell(root.items("impossible").size()).text + " impossible. GiB is 2^30 bytes.";
  s.table.columns = {{"layout", "layout", "", Align::kText},       {"micro_batch", "micro-batch", ""},
                     {"recompute", "recompute", "", Align::kText}, {"lnc", "LNC", ""},
                     {"metric0", "per chip", "tokens/s"},          {"metric1", "HBM of a rank", "GiB"},
                     {"limiter", "what limits", "", Align::kText}};
  for (const JsonView& row : root.items("rows"))
    s.table.rows.push_back({text_cell(row.text("layout")), count_cell(row.count("micro_batch")),
                            text_cell(row.text("recompute")), count_cell(row.count("lnc")),
                            number_cell(row.number("tokens_per_s_per_chip"), 1),
                            number_cell(row.number("hbm_gib"), 2), text_cell(row.text("limiter"))});
  if (!s.table.rows.empty()) s.chart = "pareto";
  s.options = {
      {"axes",
       {{{"key", "layout"}, {"title", "layout"}},
        {{"key", "micro_batch"}, {"title", "micro-batch"}},
        {{"key", "recompute"}, {"title", "recompute"}},
        {{"key", "lnc"}, {"title", "LNC"}}}},
      {"metrics",
       {{{"key", "metric0"}, {"title", "per chip"}, {"unit", "tokens/s"}, {"more_is_better", true}},
        {{"key", "metric1"}, {"title", "HBM of a rank"}, {"unit", "GiB"}, {"more_is_better", false}}}}};
  sections.push_back(std::move(s));
  add_impossible(input, sections);
}

}  // namespace trn
