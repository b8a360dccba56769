// A predicted training step: headline, confidence, ledger, MFU, collectives, memory.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sim/report/page/sections.h"

namespace trn {
namespace {

constexpr double kMsPerPs = 1e-9;
constexpr double kMsPerUs = 1e-3;

std::string plan_text(const JsonView& plan) {
  return fmt::format(
      "tp={} fsdp={} LNC={}, sequence {}, global batch {} in micro-batches of {}, recompute {}, lowering {}",
      plan.count("tp"), plan.count("fsdp"), plan.count("lnc"), with_commas(plan.count("sequence")),
      plan.count("global_batch"), plan.count("micro_batch"), plan.text("recompute"), plan.text("lowering"));
}

// What the step's time rests on: its ledger rows by the least sure figure that sets their pace.
Table confidence_table(const JsonView& root) {
  Table table{{{"confidence", "least sure figure", "", Align::kText},
               {"time", "time", "ms"},
               {"share", "share of the step", "%"},
               {"figures", "figures of the machine", ""},
               {"keys", "their keys", "", Align::kText}},
              {}};
  const double step = root.number("step_us") * kMsPerUs;
  for (const auto& [level, entry] : root.at("rests_on").fields()) {
    const double time = entry.number("time_ps") * kMsPerPs;
    std::vector<std::string> keys;
    for (const JsonView& key : entry.items("figures")) keys.push_back(key.text());
    table.rows.push_back({text_cell(level), number_cell(time, 3), percent_cell(time / step),
                          count_cell(keys.size()), text_cell(join(keys))});
  }
  return table;
}

// The first convention against the first denominator, as the file lists them.
Fact mfu_fact(const JsonView& root) {
  const std::vector<JsonView> rows = root.items("mfu");
  if (rows.empty()) return {"MFU", no_cell().text, ""};
  return {"MFU, " + rows[0].text("flops"), percent_cell(rows[0].number("value"), 2).text, "%"};
}

void add_headline(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  Section s{"headline", "Prediction", input.name};
  s.names_page = root.text("model") + " on " + root.text("machine");
  s.lead = plan_text(root.at("plan"));
  s.facts = {{"throughput", number_cell(root.number("tokens_per_s"), 0).text, "tokens/s"},
             {"per chip", number_cell(root.number("tokens_per_s_per_chip"), 1).text, "tokens/s"},
             {"step", number_cell(root.number("step_us") * kMsPerUs, 1).text, "ms"},
             mfu_fact(root),
             {"HFU", percent_cell(root.number("hfu"), 2).text, "%"},
             {"HBM bandwidth", percent_cell(root.number("hbm_utilisation"), 1).text, "%"}};
  const std::string sure = root.text_or_none("how_sure");
  s.claim = sure.empty() ? "This file does not say how its answer was validated." : sure;
  std::vector<std::string> overrides;
  for (const JsonView& override : root.items("overrides")) overrides.push_back(override.text());
  if (!overrides.empty()) s.notes.push_back("What-if: " + join(overrides) + ".");
  s.notes.push_back(
      "MFU and HFU are of the peak at the clock rate, HBM bandwidth of the stack's, collectives included.");
  s.notes.push_back(
      "The bar sorts the step's time by the least sure figure that sets its pace, from official to assumed.");
  s.chart = "shares";
  s.table = confidence_table(root);
  sections.push_back(std::move(s));
}

void add_ledger(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  const double step = root.number("step_us") * kMsPerUs;
  Section s{"ledger", "Where the step goes", input.name};
  s.table.columns = {{"part", "part of the step", "", Align::kText},
                     {"time", "time", "ms"},
                     {"share", "share", "%"},
                     {"until", "cumulative", "ms"}};
  std::string largest;
  double most = -1;
  double sum = 0;
  for (const auto& [name, value] : root.at("ledger_ps").fields()) {
    const double time = value.number() * kMsPerPs;
    sum += time;
    s.table.rows.push_back(
        {text_cell(name), number_cell(time, 3), percent_cell(time / step, 2), number_cell(sum, 3)});
    if (s.table.rows.size() > 1 && time > most) {
      most = time;
      largest = name;
    }
  }
  s.table.rows.push_back({text_cell("step"), number_cell(step, 3), percent_cell(1, 2), number_cell(step, 3)});
  s.lead =
      "The step on the array of core 0, from ideal to real; the parts sum to it exactly. After the ideal, "
      "the most goes to \"" +
      largest + "\".";
  s.chart = "waterfall";
  s.options = {{"name", "part"}, {"value", "time"}, {"unit", "ms"}, {"share", "share"}};
  sections.push_back(std::move(s));
}

// A row a convention, a column a peak.
void add_mfu(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  const std::vector<JsonView> values = root.items("mfu");
  if (values.empty()) return;
  Section s{"mfu", "Model FLOPs utilisation, by convention", input.name};
  s.lead = "Which FLOPs of a token count as useful, against which peak.";
  s.table.columns = {{"flops", "FLOPs counted", "", Align::kText}, {"token", "FLOPs a token", ""}};
  const std::optional<JsonView> tokens = root.find("flops_per_token");
  for (const JsonView& value : values) {
    const std::string flops = value.text("flops");
    const std::string peak = value.text("denominator");
    const auto is_peak = [&](const Column& column) { return column.key == peak; };
    auto column = std::find_if(s.table.columns.begin(), s.table.columns.end(), is_peak);
    if (column == s.table.columns.end()) {
      s.table.columns.push_back({peak, "of " + peak, "%"});
      for (std::vector<Cell>& row : s.table.rows) row.push_back(no_cell());
      column = s.table.columns.end() - 1;
    }
    if (s.table.rows.empty() || s.table.rows.back()[0].text != flops) {
      s.table.rows.emplace_back(s.table.columns.size(), no_cell());
      s.table.rows.back()[0] = text_cell(flops);
      if (tokens && tokens->find(flops)) s.table.rows.back()[1] = count_cell(tokens->count(flops));
    }
    s.table.rows.back()[static_cast<std::size_t>(column - s.table.columns.begin())] =
        percent_cell(value.number("value"), 2);
  }
  sections.push_back(std::move(s));
}

void add_step_collectives(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  if (root.items("collectives").empty()) return;
  Section s{"collectives", "Collectives of the step", input.name};
  s.lead =
      "From trigger to completion, summed; what of it the array waits for stands in the ledger. GB is 1e9 "
      "bytes. Bounds hold for collectives over the links.";
  s.table.columns = {{"axis", "axis", "", Align::kText},
                     {"op", "collective", "", Align::kText},
                     {"count", "count", ""},
                     {"bytes", "bytes", "GB"},
                     {"time", "time", "ms"},
                     {"bound", "bound", "ms"},
                     {"ratio", "time / bound", ""},
                     {"algbw", "algbw", "GB/s"},
                     {"busbw", "busbw", "GB/s"}};
  for (const JsonView& row : root.items("collectives")) {
    const double time = row.number("time_us") * kMsPerUs;
    const double bound = row.number("bound_us") * kMsPerUs;
    s.table.rows.push_back(
        {text_cell(row.text("axis")), text_cell(row.text("op")), count_cell(row.count("count")),
         number_cell(row.number("bytes") * 1e-9, 3), number_cell(time, 3),
         bound > 0 ? number_cell(bound, 3) : no_cell(), bound > 0 ? number_cell(time / bound, 2) : no_cell(),
         number_cell(row.number("algbw_gb_per_s"), 1), number_cell(row.number("busbw_gb_per_s"), 1)});
  }
  sections.push_back(std::move(s));
}

void add_footprint(const ReportInput& input, Sections& sections) {
  const std::optional<JsonView> footprint = input.root().find("footprint_bytes");
  if (!footprint) return;
  Section s{"memory", "HBM of a rank", input.name};
  s.table.columns = {
      {"part", "what for", "", Align::kText}, {"bytes", "size", "GB"}, {"share", "share", "%"}};
  double total = 0;
  for (const auto& [name, bytes] : footprint->fields()) total += bytes.number();
  for (const auto& [name, bytes] : footprint->fields())
    s.table.rows.push_back({text_cell(name), number_cell(bytes.number() * 1e-9, 3),
                            percent_cell(total > 0 ? bytes.number() / total : 0)});
  s.lead = number_cell(total * 1e-9, 3).text + " GB in all; GB is 1e9 bytes.";
  s.chart = "bars";
  s.options = {{"name", "part"}, {"value", "bytes"}, {"unit", "GB"}};
  sections.push_back(std::move(s));
}

}  // namespace

void add_training(const ReportInput& input, Sections& sections) {
  add_headline(input, sections);
  add_ledger(input, sections);
  add_roofline(input, sections);
  add_engines(input, sections);
  add_resources(input, sections);
  add_transfers(input, sections);
  add_step_collectives(input, sections);
  add_mfu(input, sections);
  add_footprint(input, sections);
}

}  // namespace trn
