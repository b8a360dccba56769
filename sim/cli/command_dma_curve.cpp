// trnsim dma-curve
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "sim/cli/cli.h"
#include "sim/cli/machine_option.h"
#include "sim/report/line_chart.h"
#include "sim/run/dma_curve.h"

namespace trn {
namespace {

struct DmaCurveArguments {
  MachineOption machine;
  std::string mode = "all";
  std::string sizes;
  std::string svg;
  bool json = false;
};

std::string name_of(const DmaCurve& curve) {
  return std::string(kDescriptorModes[static_cast<std::size_t>(curve.mode)]);
}

std::vector<DescriptorMode> parse_modes(const std::string& name, const MachineConfig& machine) {
  if (name == "all") return dma_modes(machine);
  const auto it = std::find(kDescriptorModes.begin(), kDescriptorModes.end(), name);
  if (it == kDescriptorModes.end())
    throw UsageError("--mode: unknown mode \"" + name + "\"; expected static, hw, sw or all");
  return {static_cast<DescriptorMode>(it - kDescriptorModes.begin())};
}

double error_percent(double predicted, double measured) { return 100 * (predicted / measured - 1); }

bool has_published(const DmaCurve& curve) {
  return std::any_of(curve.points.begin(), curve.points.end(),
                     [](const DmaCurvePoint& point) { return point.published.has_value(); });
}

const DmaCurve& closest(const std::vector<DmaCurve>& curves) {
  return *std::min_element(curves.begin(), curves.end(),
                           [](const DmaCurve& a, const DmaCurve& b) { return a.error() < b.error(); });
}

std::string table(const std::vector<DmaCurve>& curves) {
  std::string out = fmt::format("{:>10}", "B/part.");
  for (const DmaCurve& curve : curves)
    out += fmt::format(" |{:>7} {:>9} {:>8}", name_of(curve) + " GB/s", "relative", "error");
  out += fmt::format(" |{:>10}\n", "published");
  for (std::size_t i = 0; i < curves[0].points.size(); ++i) {
    out += fmt::format("{:>10}", curves[0].points[i].bytes);
    for (const DmaCurve& curve : curves) {
      const DmaCurvePoint& p = curve.points[i];
      const std::string error =
          p.published ? fmt::format("{:.1f} %", error_percent(p.relative, *p.published)) : "-";
      out += fmt::format(" |{:>{}.1f} {:>9.4f} {:>8}", p.gb_per_s,
                         std::max<std::size_t>(7, name_of(curve).size() + 5), p.relative, error);
    }
    const std::optional<double>& published = curves[0].points[i].published;
    out += fmt::format(" |{:>10}\n", published ? fmt::format("{:.3f}", *published) : "-");
  }
  return out;
}

std::string one_engine_line(Picoseconds predicted, const PublishedDma& published) {
  const double ns = to_us(predicted) * 1e3;
  std::string out = fmt::format("one engine, 32 KiB in 4 rows of 8 KiB: {:.0f} ns", ns);
  if (published.one_engine_ns)
    out += fmt::format(", published {:.0f} ns, error {:.1f} %", *published.one_engine_ns,
                       error_percent(ns, *published.one_engine_ns));
  return out + '\n';
}

std::string text(const std::vector<DmaCurve>& curves, const PublishedDma& published,
                 const MachineConfig& machine) {
  std::string out = fmt::format(
      "loads of 128 partitions, back to back on one queue of {}; relative to 32 KiB a partition; GB = 1e9 "
      "B\n",
      machine.name);
  out += table(curves);
  if (has_published(curves[0]))
    for (const DmaCurve& curve : curves)
      out += fmt::format("{:<6} off the published curve by {:.1f} % (geometric mean){}\n", name_of(curve),
                         100 * (curve.error() - 1),
                         &curve == &closest(curves) && curves.size() > 1 ? ": reproduces it best" : "");
  else
    out += "no curve of this machine and these sizes has been published\n";
  return out + one_engine_line(one_engine_transfer(machine), published);
}

std::string json_text(const std::vector<DmaCurve>& curves, const PublishedDma& published,
                      const MachineConfig& machine) {
  nlohmann::ordered_json json;
  json["machine"] = machine.name;
  for (const DmaCurve& curve : curves) {
    nlohmann::ordered_json points;
    for (const DmaCurvePoint& p : curve.points) {
      nlohmann::ordered_json point{
          {"bytes_per_partition", p.bytes}, {"gb_per_s", p.gb_per_s}, {"relative", p.relative}};
      if (p.published) {
        point["published_relative"] = *p.published;
        point["error_percent"] = error_percent(p.relative, *p.published);
      }
      points.push_back(point);
    }
    json["modes"].push_back({{"mode", name_of(curve)}, {"points", points}});
    if (has_published(curve)) json["modes"].back()["mean_error_percent"] = 100 * (curve.error() - 1);
  }
  if (has_published(curves[0])) json["closest_mode"] = name_of(closest(curves));
  json["one_engine_32kib_ns"] = to_us(one_engine_transfer(machine)) * 1e3;
  if (published.one_engine_ns) json["published_one_engine_32kib_ns"] = *published.one_engine_ns;
  return json.dump(2) + '\n';
}

LineChart chart(const std::vector<DmaCurve>& curves, const PublishedDma& published,
                const MachineConfig& machine) {
  LineChart chart{"DMA throughput by size, 128 partitions, " + machine.name,
                  "size (bytes a partition)",
                  "throughput (relative to 32 KiB)",
                  {}};
  for (const DmaCurve& curve : curves) {
    ChartSeries& series = chart.series.emplace_back();
    series.name = name_of(curve);
    for (const DmaCurvePoint& p : curve.points)
      series.points.emplace_back(static_cast<double>(p.bytes), p.relative);
    std::sort(series.points.begin(), series.points.end());
  }
  if (published.curve.empty()) return chart;
  ChartSeries& circles = chart.series.emplace_back();
  circles.name = "published";
  circles.style = ChartSeries::Style::kCircles;
  for (const auto& [bytes, value] : published.curve)
    circles.points.emplace_back(static_cast<double>(bytes), value);
  return chart;
}

void run(const DmaCurveArguments& arguments) {
  const MachineConfig machine = arguments.machine.load();
  const std::vector<std::uint64_t> sizes =
      arguments.sizes.empty() ? default_dma_sizes() : parse_dma_sizes(arguments.sizes);
  const PublishedDma published =
      published_dma(read_measurements(TRNSIM_VALIDATION_DIR "/core.csv"), machine.name);
  std::vector<DmaCurve> curves;
  for (const DescriptorMode mode : parse_modes(arguments.mode, machine))
    curves.push_back(dma_curve(mode, sizes, published, machine));
  if (!arguments.svg.empty())
    write_file_atomically(arguments.svg, line_chart_svg(chart(curves, published, machine)));
  fmt::print("{}", arguments.json ? json_text(curves, published, machine) : text(curves, published, machine));
}

}  // namespace

void add_dma_curve(CLI::App& app) {
  auto arguments = std::make_shared<DmaCurveArguments>();
  CLI::App* command =
      app.add_subcommand("dma-curve", "DMA throughput by size, for every way of making descriptors");
  command->footer("Example: trnsim dma-curve --machine trn2 -o dma.svg");
  arguments->machine.add_to(*command, "trn2");
  command->add_option("--mode", arguments->mode, "who makes descriptors: static, hw, sw, or all")
      ->capture_default_str();
  command->add_option("--sizes", arguments->sizes,
                      "bytes a partition, e.g. 32,64,4096 (default: 32 B to 32 KiB by doubling)");
  command->add_option("-o,--output", arguments->svg, "also draw it into this SVG file");
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace trn
