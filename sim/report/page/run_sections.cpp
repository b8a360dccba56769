// What every simulated run tells of its engines, resources and transfers.
#include <map>

#include "sim/report/page/sections.h"

namespace trn {
namespace {

constexpr double kMsPerPs = 1e-9;
constexpr double kMsPerUs = 1e-3;

// "core0.Tensor" -> its statistics, in the file's order.
using EngineRows = std::vector<std::pair<std::string, std::map<std::string, double>>>;

EngineRows engine_rows(const JsonView& statistics) {
  EngineRows rows;
  for (const auto& [name, stat] : statistics.fields()) {
    const std::size_t dot = name.rfind('.');
    if (name.rfind("core", 0) != 0 || dot == std::string::npos) continue;
    const std::string engine = name.substr(0, dot);
    if (rows.empty() || rows.back().first != engine) rows.push_back({engine, {}});
    rows.back().second[name.substr(dot + 1)] = stat.number("value");
  }
  return rows;
}

// "core0.Tensor" -> "Tensor, core 0"
std::string engine_name(const std::string& key) {
  const std::size_t dot = key.find('.');
  return key.substr(dot + 1) + ", core " + key.substr(4, dot - 4);
}

}  // namespace

void add_engines(const ReportInput& input, Sections& sections) {
  const std::optional<JsonView> statistics = input.root().find("statistics");
  if (!statistics) return;
  Section s{"engines", "Engines", input.name};
  s.lead = "Share of the run in which an engine's issue slot or data path was occupied; why it was not.";
  s.table.columns = {{"engine", "engine", "", Align::kText},
                     {"active", "busy", "%"},
                     {"instructions", "instructions", ""},
                     {"busy", "busy", "ms"},
                     {"limiter", "of it, current limiter", "ms"},
                     {"semaphores", "waiting for semaphores", "ms"},
                     {"conflicts", "waiting for banks and ports", "ms"}};
  for (auto& [name, of] : engine_rows(*statistics)) {
    if (of["instructions"] == 0) continue;
    s.table.rows.push_back(
        {text_cell(engine_name(name)), percent_cell(of["active"], 2),
         count_cell(static_cast<std::uint64_t>(of["instructions"])), number_cell(of["busy"] * kMsPerPs, 3),
         number_cell(of["limiter_stall"] * kMsPerPs, 3), number_cell(of["semaphore_wait"] * kMsPerPs, 3),
         number_cell(of["conflict_wait"] * kMsPerPs, 3)});
  }
  if (s.table.rows.empty()) return;
  s.chart = "bars";
  s.options = {{"name", "engine"}, {"value", "active"}, {"unit", "%"}, {"most", 100}};
  sections.push_back(std::move(s));
}

void add_resources(const ReportInput& input, Sections& sections) {
  const std::vector<JsonView> resources = input.root().items("resources");
  if (resources.empty()) return;
  Section s{"resources", "HBM, DMA engines and links", input.name};
  s.lead =
      "Bar: use of the capacity over the run. Tick: share of the run in which it bound at least one "
      "transfer.";
  s.table.columns = {{"resource", "resource", "", Align::kText},
                     {"used", "used", "%"},
                     {"binding", "binding", "%"},
                     {"achieved", "achieved", "GB/s"},
                     {"peak", "peak", "GB/s"},
                     {"misses", "lost to row misses", "%"},
                     {"turning", "lost to turning", "%"}};
  for (const JsonView& r : resources) {
    const double peak = r.number("peak_bytes_per_s");
    const double misses = r.number("bus_lost_to_row_misses");
    const double turning = r.number("bus_lost_to_turning");
    const bool bus = misses + turning > 0;
    s.table.rows.push_back({text_cell(r.text("name")), percent_cell(r.number("utilization"), 2),
                            percent_cell(r.number("binding_share"), 2),
                            peak > 0 ? number_cell(r.number("achieved_bytes_per_s") * 1e-9, 1) : no_cell(),
                            peak > 0 ? number_cell(peak * 1e-9, 1) : no_cell(),
                            bus ? percent_cell(misses) : no_cell(), bus ? percent_cell(turning) : no_cell()});
  }
  s.chart = "bars";
  s.options = {{"name", "resource"}, {"value", "used"}, {"tick", "binding"}, {"unit", "%"}, {"most", 100}};
  sections.push_back(std::move(s));
}

void add_transfers(const ReportInput& input, Sections& sections) {
  const std::vector<JsonView> regions = input.root().items("transfer_regions");
  if (regions.empty()) return;
  Section s{"transfers", "What transfers lose", input.name};
  s.lead =
      "Time of the kernels' DMA transfers, summed over queues and cores, so it may exceed the run and hide "
      "behind compute; those that lose most first.";
  s.table.columns = {{"region", "kernel", "", Align::kText},
                     {"transfers", "transfers", ""},
                     {"bytes", "moved", "GB"},
                     {"moving", "moving", "ms"},
                     {"ideal", "at full rate", "ms"},
                     {"lost", "lost", "ms"},
                     {"reason", "mostly to", "", Align::kText},
                     {"way_out", "way out", "", Align::kText}};
  for (const JsonView& r : regions) {
    double lost = 0;
    for (const auto& [reason, us] : r.at("lost_us").fields()) lost += us.number();
    s.table.rows.push_back({text_cell(r.text("region")), count_cell(r.count("transfers")),
                            number_cell(r.number("bytes") * 1e-9, 3),
                            number_cell(r.number("moving_us") * kMsPerUs, 3),
                            number_cell(r.number("ideal_us") * kMsPerUs, 3), number_cell(lost * kMsPerUs, 3),
                            text_cell(r.text("main_reason")), text_cell(r.text("way_out"))});
  }
  sections.push_back(std::move(s));
}

void add_run(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  Section s{"headline", "Run", input.name};
  s.names_page = root.text("program");
  s.lead = "A program on one rank, simulated instruction by instruction.";
  s.facts = {{"run time", number_cell(root.number("time_us"), 3).text, "\u00b5s"}};
  sections.push_back(std::move(s));
  add_roofline(input, sections);
  add_engines(input, sections);
  add_resources(input, sections);
  add_transfers(input, sections);
}

}  // namespace trn
