// Where every figure comes from, how each file was made, and what is not in the report.
#include <algorithm>

#include "base/text.h"
#include "sim/report/page/sections.h"

namespace trn {
namespace {

using Json = JsonView::Json;

bool is_figure(const Json& json) {
  return json.is_object() && json.contains("value") && json.contains("source") && json.contains("confidence");
}

// Leaves of the configuration by their dotted keys; plain values (names, algorithms) have no source.
void add_figures(const JsonView& node, const std::string& key, Table& table) {
  if (is_figure(node.json())) {
    const std::string confidence = node.text("confidence");
    if (confidence == "what-if") table.marked.push_back(table.rows.size());
    table.rows.push_back({text_cell(key), value_cell(node.at("value").json()), text_cell(confidence),
                          text_cell(node.text("source"))});
    return;
  }
  if (!node.is_object()) return;
  for (const auto& [name, child] : node.fields())
    add_figures(child, key.empty() ? name : key + '.' + name, table);
}

struct Offer {
  std::string kind;
  std::string what;
  std::string how;
};

const std::vector<Offer>& offers() {
  static const std::vector<Offer> kOffers{
      {"training", "headline, ledger, roofline, engines, links, memory of a training step",
       "trnsim train ... -o DIR"},
      {"collective", "bus bandwidth of a collective by size, with its bound", "trnsim collective ... -o DIR"},
      {"comparison", "two machines or layouts side by side", "trnsim compare ... -o DIR"},
      {"sensitivity", "what a change of each figure of the machine does", "trnsim sensitivity ... -o DIR"},
      {"breakeven", "how much better a knob has to get for a goal", "trnsim breakeven ... -o DIR"},
      {"study", "sweep map, Pareto front, impossible points",
       "trnsim sweep plan, worker, collect ... -o DIR"},
      {"search", "layouts ranked", "trnsim search ... -o DIR"}};
  return kOffers;
}

}  // namespace

void add_provenance(const ReportInput& input, Sections& sections) {
  const std::optional<JsonView> config = input.root().find("config");
  if (!config) return;
  Section s{"provenance", "Figures of the machine", input.name};
  s.filter = true;
  s.table.columns = {{"key", "key", "", Align::kCode},
                     {"value", "value", ""},
                     {"confidence", "confidence", "", Align::kText},
                     {"source", "source", "", Align::kText}};
  add_figures(*config, "", s.table);
  if (s.table.rows.empty()) return;
  const std::size_t overridden = s.table.marked.size();
  s.lead = count_cell(s.table.rows.size()).text + " figures; units stand in the keys. " +
           (overridden == 0 ? "None was overridden."
                            : count_cell(overridden).text + " overridden with --set, marked what-if.");
  sections.push_back(std::move(s));
}

void add_commands(const std::vector<ReportInput>& inputs, Sections& sections) {
  Section s{"made-by", "How this was made", ""};
  s.table.columns = {{"file", "file", "", Align::kText},
                     {"kind", "kind", "", Align::kText},
                     {"version", "trnsim", "", Align::kText},
                     {"command", "command", "", Align::kCode}};
  for (const ReportInput& input : inputs) {
    const JsonView root = input.root();
    std::string version = root.text_or_none("version");
    if (const std::optional<JsonView> trnsim = root.find("trnsim")) {
      version = trnsim->text_or_none("version");
      const std::string build = trnsim->text_or_none("build");
      if (!build.empty()) version += " (" + build + ")";
    }
    const std::string command = root.text_or_none("command");
    s.table.rows.push_back({text_cell(input.name), text_cell(input.kind),
                            version.empty() ? no_cell() : text_cell(version),
                            text_cell(command.empty() ? "not recorded in this file" : command)});
  }
  sections.push_back(std::move(s));
}

void add_absent(const std::vector<ReportInput>& inputs, Sections& sections) {
  Section s{"absent", "Not in this report", ""};
  s.lead = "Each of these commands adds its file to DIR; then run trnsim report DIR again.";
  s.table.columns = {{"what", "what", "", Align::kText}, {"how", "command", "", Align::kCode}};
  for (const Offer& offer : offers()) {
    const auto has = [&](const ReportInput& input) { return input.kind == offer.kind; };
    if (std::none_of(inputs.begin(), inputs.end(), has))
      s.table.rows.push_back({text_cell(offer.what), text_cell(offer.how)});
  }
  if (!s.table.rows.empty()) sections.push_back(std::move(s));
}

}  // namespace trn
