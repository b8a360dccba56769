// Two answers side by side: how A becomes B, and which inputs differ.
#include <cmath>

#include "sim/report/page/metrics.h"
#include "sim/report/page/sections.h"

namespace trn {
namespace {

std::string label(const JsonView& root, const char* side) { return root.at(side).text("label"); }

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// The parts, and what they leave of the difference, so that the way from A to B is whole.
void add_way(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  const MetricStyle metric = metric_named(root.text("metric"));
  const double a = root.at("a").number("value");
  const double b = root.at("b").number("value");
  Section s{"comparison", label(root, "a") + " against " + label(root, "b"), input.name};
  s.names_page = s.title;
  s.lead = capitalised(metric.title) + ": " + metric_cell(metric, a).text + " " + metric.unit + " against " +
           metric_cell(metric, b).text + " " + metric.unit;
  if (a > 0) s.lead += ", a factor of " + number_cell(b / a, 3).text;
  s.lead += ". Limited by " + root.at("a").text("limiter") + " and by " + root.at("b").text("limiter") + ".";
  s.table.columns = {{"part", "part", "", Align::kText},
                     {"change", "changed in A", metric.unit},
                     {"reverse", "changed back in B", metric.unit},
                     {"interaction", "interaction", metric.unit}};
  s.table.rows.push_back({text_cell(label(root, "a")), metric_cell(metric, a), no_cell(), no_cell()});
  double rest = b - a;
  for (const JsonView& part : root.items("parts")) {
    const auto cell = [&](const char* key) {
      const std::optional<JsonView> value = part.find(key);
      return value ? metric_cell(metric, value->number()) : no_cell();
    };
    rest -= part.number("forward");
    s.table.rows.push_back(
        {text_cell(part.text("name")), cell("forward"), cell("reverse"), cell("interaction")});
  }
  if (std::abs(rest) > 1e-9 * std::abs(b - a))
    s.table.rows.push_back(
        {text_cell("together, not alone"), metric_cell(metric, rest), no_cell(), no_cell()});
  s.table.rows.push_back({text_cell(label(root, "b")), metric_cell(metric, b), no_cell(), no_cell()});
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
  Section s{"ledgers", "Where both steps go", input.name};
  s.table.columns = {{"part", "part of the step", "", Align::kText},
                     {"a", label(root, "a"), "ms"},
                     {"b", label(root, "b"), "ms"},
                     {"difference", "difference", "ms"}};
  const auto row = [&](const std::string& name, double x, double y) {
    s.table.rows.push_back({text_cell(name), number_cell(x * 1e-3, 3), number_cell(y * 1e-3, 3),
                            number_cell((y - x) * 1e-3, 3)});
  };
  for (const auto& [name, value] : a->fields()) {
    const std::optional<JsonView> other = b->find(name);
    row(name, value.number(), other ? other->number() : 0);
  }
  for (const auto& [name, value] : b->fields())
    if (!a->find(name)) row(name, 0, value.number());
  s.chart = "pairs";
  s.options = {{"name", "part"}, {"a", label(root, "a")}, {"b", label(root, "b")}, {"unit", "ms"}};
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
    return found ? value_cell(found->json()) : no_cell();
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
