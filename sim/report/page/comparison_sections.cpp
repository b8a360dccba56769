// Two answers side by side: how A becomes B, and which inputs differ.
#include <algorithm>
#include <cmath>

#include "sim/report/page/metrics.h"
#include "sim/report/page/sections.h"

namespace trn {
namespace {

std::string label(const JsonView& root, const char* side) { return root.at(side).text("label"); }

// Where the machines have different numbers of chips, a side counts with the time of all of them.
double side_value(const JsonView& root, const char* side) {
  const JsonView of = root.at(side);
  const bool all_chips = root.text("metric") == "chip_time_us";
  return of.number("value") * (all_chips ? of.at("metrics").number("chips") : 1);
}

// Steps in milliseconds, kernels and collectives in microseconds.
MetricStyle time_style(const std::string& metric, double microseconds) {
  constexpr double kMany = 1e4;
  const MetricStyle style = metric_named(metric);
  return microseconds >= kMany ? in_milliseconds(style) : style;
}

std::string summary(const JsonView& root, const MetricStyle& metric, double a, double b) {
  const auto value = [&](double v) { return metric_cell(metric, v).text + ' ' + metric.unit; };
  std::string out = "From " + value(a) + " to " + value(b);
  if (a > 0) out += ", a factor of " + number_cell(b / a, 3).text;
  return out + " of " + metric.title + ". The first is limited by " + root.at("a").text("limiter") +
         ", the second by " + root.at("b").text("limiter") + '.';
}

// The parts as changes of time: the file has gains. They sum to the whole, else the file is not what it says.
void add_way(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  const double a = side_value(root, "a");
  const double b = side_value(root, "b");
  const MetricStyle metric = time_style(root.text("metric"), std::max(a, b));
  Section s{"comparison", label(root, "a") + " against " + label(root, "b"), input.name};
  s.names_page = s.title;
  s.lead = summary(root, metric, a, b);
  s.table.columns = {{"part", "replaced", "", Align::kText},
                     {"change", "from the first on", metric.unit},
                     {"reverse", "from the last on", metric.unit},
                     {"interaction", "difference of the two", metric.unit}};
  s.table.rows.push_back({text_cell(label(root, "a")), metric_cell(metric, a), no_cell(), no_cell()});
  double rest = b - a;
  for (const JsonView& part : root.items("parts")) {
    const auto change = [&](const char* key) { return metric_cell(metric, 0 - part.number(key)); };
    rest += part.number("forward");
    s.table.rows.push_back(
        {text_cell(part.text("name")), change("forward"), change("reverse"), change("interaction")});
  }
  const bool told_apart = !root.items("parts").empty();
  if (told_apart && std::abs(rest) > 1e-6 * std::max(a, b))
    root.at("parts").fail("expected the parts to sum to the difference of the two sides");
  if (!told_apart)
    s.table.rows.push_back({text_cell("all of it"), metric_cell(metric, rest), no_cell(), no_cell()});
  s.table.rows.push_back({text_cell(label(root, "b")), metric_cell(metric, b), no_cell(), no_cell()});
  if (told_apart)
    s.notes.push_back(
        "One subsystem after the other of the first machine is replaced by the second's, from the first on "
        "and again from the last on; less time is better. Where the two differ, subsystems work together.");
  for (const JsonView& note : root.items("notes")) s.notes.push_back(note.text());
  s.chart = "steps";
  s.options = {{"name", "part"},
               {"value", "change"},
               {"unit", metric.unit},
               {"more_is_better", metric.more_is_better}};
  sections.push_back(std::move(s));
}

void add_ledgers(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  const std::optional<JsonView> a = root.at("a").find("ledger_us");
  const std::optional<JsonView> b = root.at("b").find("ledger_us");
  if (!a || !b) return;
  const MetricStyle time =
      time_style("time_us", std::max(root.at("a").number("value"), root.at("b").number("value")));
  Section s{"ledgers", "Where the time of both goes", input.name};
  s.table.columns = {{"part", "part", "", Align::kText},
                     {"a", label(root, "a"), time.unit},
                     {"b", label(root, "b"), time.unit},
                     {"difference", "difference", time.unit}};
  const auto row = [&](const std::string& name, double x, double y) {
    s.table.rows.push_back(
        {text_cell(name), metric_cell(time, x), metric_cell(time, y), metric_cell(time, y - x)});
  };
  for (const auto& [name, value] : a->fields()) {
    const std::optional<JsonView> other = b->find(name);
    row(name, value.number(), other ? other->number() : 0);
  }
  for (const auto& [name, value] : b->fields())
    if (!a->find(name)) row(name, 0, value.number());
  s.chart = "pairs";
  s.options = {{"name", "part"}, {"a", label(root, "a")}, {"b", label(root, "b")}, {"unit", time.unit}};
  sections.push_back(std::move(s));
}

void add_inputs(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  if (root.items("inputs").empty()) return;
  Section s{"inputs", "Inputs that differ", input.name};
  s.filter = true;
  s.table.columns = {{"key", "key", "", Align::kCode},
                     {"a", label(root, "a"), ""},
                     {"b", label(root, "b"), ""},
                     {"ratio", "ratio", ""},
                     {"confidence_a", "confidence of the first", "", Align::kText},
                     {"source_a", "source of the first", "", Align::kText},
                     {"confidence_b", "confidence of the second", "", Align::kText},
                     {"source_b", "source of the second", "", Align::kText}};
  const auto value = [](const JsonView& row, const char* key) {
    const std::optional<JsonView> found = row.find(key);
    if (!found) return no_cell();
    // Figures are texts of JSON.
    const std::string text = found->label();
    const JsonView::Json parsed = JsonView::Json::parse(text, nullptr, false);
    return parsed.is_number() || parsed.is_array() ? value_cell(parsed) : text_cell(text);
  };
  for (const JsonView& row : root.items("inputs")) {
    const std::optional<JsonView> ratio = row.find("ratio");
    s.table.rows.push_back({text_cell(row.text("key")), value(row, "a"), value(row, "b"),
                            ratio ? number_cell(ratio->number(), 3) : no_cell(), value(row, "confidence_a"),
                            value(row, "source_a"), value(row, "confidence_b"), value(row, "source_b")});
  }
  sections.push_back(std::move(s));
}

}  // namespace

void add_comparison(const ReportInput& input, Sections& sections) {
  add_way(input, sections);
  add_ledgers(input, sections);
  add_inputs(input, sections);
}

}  // namespace trn
