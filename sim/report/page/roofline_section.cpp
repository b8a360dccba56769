// Every kernel against the ceilings of the rank: its arrays in the modes it uses, its HBM stack, its DMA
// engines.
#include <algorithm>

#include "base/text.h"
#include "sim/report/page/sections.h"

namespace trn {
namespace {

struct Ceilings {
  std::vector<std::pair<std::string, double>> array;  // mode, FLOPs a second; slowest first
  double hbm = 0, dma = 0;                            // bytes a second
};

Ceilings ceilings(const JsonView& root) {
  Ceilings c;
  for (const JsonView& row : root.items("array_ceilings"))
    c.array.emplace_back(row.text("mode"), row.number("flops_per_s"));
  for (const JsonView& row : root.items("resources")) {
    const std::string name = row.text("name");
    if (name == "HBM stack") c.hbm += row.number("peak_bytes_per_s");
    if (name.rfind("DMA engines", 0) == 0) c.dma += row.number("peak_bytes_per_s");
  }
  return c;
}

nlohmann::ordered_json options(const Ceilings& c) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [mode, flops] : c.array)
    list.push_back({{"name", "Tensor " + mode}, {"tflops", flops * 1e-12}});
  if (c.hbm > 0) list.push_back({{"name", "HBM"}, {"gb_per_s", c.hbm * 1e-9}});
  if (c.dma > 0) list.push_back({{"name", "DMA"}, {"gb_per_s", c.dma * 1e-9}});
  return {{"ceilings", list}};
}

struct Share {
  std::string of;
  double value = 0;
};

// The ceiling that a kernel comes nearest to. With several modes: the fastest, which none of it exceeds.
Share nearest(const Ceilings& c, const std::vector<std::string>& modes, double flops_per_s, double hbm_per_s,
              double dma_per_s) {
  Share best{"\u2013", 0};
  const auto consider = [&](const std::string& name, double rate, double peak) {
    if (peak > 0 && rate / peak > best.value) best = {name, rate / peak};
  };
  for (auto mode = c.array.rbegin(); mode != c.array.rend(); ++mode) {
    if (std::find(modes.begin(), modes.end(), mode->first) == modes.end()) continue;
    consider("Tensor " + mode->first, flops_per_s, mode->second);
    break;
  }
  consider("HBM", hbm_per_s, c.hbm);
  consider("DMA", dma_per_s, c.dma);
  return best;
}

std::vector<Cell> kernel_row(const JsonView& k, const Ceilings& c) {
  const double seconds = k.number("time_us") * 1e-6;
  const double flops = k.number("array_flops");
  const double bytes = k.number("hbm_read_bytes") + k.number("hbm_write_bytes");
  const auto rate = [&](double amount) { return seconds > 0 ? amount / seconds : 0; };
  std::vector<std::string> modes;
  for (const JsonView& mode : k.items("modes")) modes.push_back(mode.text());
  const Share share = nearest(c, modes, rate(flops), rate(bytes), rate(k.number("dma_bytes")));
  return {text_cell(k.text("region")),
          number_cell(seconds * 1e3, 3),
          flops > 0 && bytes > 0 ? number_cell(flops / bytes, 1) : no_cell(),
          flops > 0 ? number_cell(rate(flops) * 1e-12, 2) : no_cell(),
          number_cell(rate(bytes) * 1e-9, 1),
          text_cell(share.of),
          percent_cell(share.value),
          number_cell(flops * 1e-12, 3),
          number_cell(k.number("hbm_read_bytes") * 1e-9, 3),
          number_cell(k.number("hbm_write_bytes") * 1e-9, 3),
          count_cell(k.count("instructions")),
          text_cell(modes.empty() ? "\u2013" : join(modes))};
}

}  // namespace

void add_roofline(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  const Ceilings c = ceilings(root);
  Section s{"roofline", "Roofline", input.name};
  s.lead =
      "Every kernel of a rank, all its executions together, against what its arrays, its HBM stack and its "
      "DMA engines can do.";
  s.notes = {
      "A kernel's time is the union of: a computing engine was in it, from its first instruction there to "
      "its "
      "last result before another kernel; one of its transfers was moving. Kernels may overlap, and "
      "collectives are "
      "none, so the times need not sum to the step.",
      "DMA: bytes moved at the full rate of all engines; a copy within HBM takes two HBM bytes for one "
      "moved."};
  s.table.columns = {{"kernel", "kernel", "", Align::kText},
                     {"time", "time", "ms"},
                     {"intensity", "intensity", "FLOP/B of HBM"},
                     {"tflops", "array", "TFLOP/s"},
                     {"gbps", "HBM", "GB/s"},
                     {"ceiling", "nearest ceiling", "", Align::kText},
                     {"reached", "of it", "%"},
                     {"work", "array work", "TFLOP"},
                     {"read", "HBM read", "GB"},
                     {"written", "HBM written", "GB"},
                     {"instructions", "instructions", ""},
                     {"modes", "array mode", "", Align::kText}};
  for (const JsonView& k : root.items("kernels"))
    if (k.count("array_flops") + k.count("dma_bytes") > 0) s.table.rows.push_back(kernel_row(k, c));
  if (s.table.rows.empty()) return;
  s.chart = "roofline";
  s.options = options(c);
  sections.push_back(std::move(s));
}

}  // namespace trn
