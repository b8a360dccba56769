// trnsim config list|show|diff|new
#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "sim/cli/cli.h"
#include "sim/cli/config_new.h"
#include "sim/cli/machine_option.h"
#include "sim/report/range_report.h"

namespace trn {
namespace {

void list_machines() {
  fmt::print("{:<12} {:<8} {:<14} {:>6} {:>12} {:>8} {:>9}  {}\n", "machine", "based on", "core", "cores",
             "BF16 TFLOPS", "HBM GiB", "HBM TB/s", "shapes (chips)");
  std::string overlays;
  for (const std::string& name : known_machines()) {
    const ConfigDocument document = load_machine_document(name);
    const MachineConfig chip = parse_machine(document, "chip");
    std::string shapes;
    for (const std::string& shape : document.root().child("shapes").keys())
      shapes += fmt::format("{}({}) ", shape, parse_machine(document, shape).fabric.chips());
    for (const ConfigOverlay& overlay : document.overlays())
      if (overlay.offered) overlays += fmt::format("{}+{}: {}\n", name, overlay.name, overlay.note);
    fmt::print("{:<12} {:<8} {:<14} {:>6} {:>12.1f} {:>8} {:>9.2f}  {}\n", name,
               document.based_on().empty() ? "-" : document.based_on(), chip.generation,
               chip.chip.neuron_cores,
               chip.core_bf16_flops() * static_cast<double>(chip.chip.neuron_cores) * 1e-12,
               chip.hbm.capacity_mib / 1024,
               static_cast<double>(chip.hbm.stack_rate.count() * chip.hbm.stacks) * 1e-6, shapes);
  }
  fmt::print("{}ANY+unlinked: what scales with HBM bandwidth elsewhere stays\n", overlays);
}

// Where a layered document has it from.
std::string origin_text(const ConfigFigure& figure, const ConfigDocument& document) {
  const bool layered = !document.based_on().empty() || figure.origin != document.foundation();
  return layered ? fmt::format("  <- {}", figure.origin) : "";
}

void show(const MachineOption& option, const std::string& filter) {
  const ConfigDocument document = option.document();
  parse_machine(document, parse_machine_name(option.machine).shape);  // complain before printing
  for (const ConfigFigure& figure : document.figures())
    if (figure.key.find(filter) != std::string::npos)
      fmt::print("{} = {}  [{}] {}{}\n", figure.key, figure.value, figure.confidence, figure.source,
                 origin_text(figure, document));
  std::vector<ConfigRange> ranges;
  for (const ConfigRange& range : document.ranges())
    if (range.key.find(filter) != std::string::npos) ranges.push_back(range);
  fmt::print("{}", range_lines(ranges));
}

std::string ratio_text(const std::string& a, const std::string& b) {
  try {
    const double from = std::stod(a);
    const double to = std::stod(b);
    return from == 0 ? "" : fmt::format("{:.3f}x", to / from);
  } catch (const std::exception&) {
    return "";
  }
}

void diff(const std::string& a, const std::string& b) {
  std::map<std::string, std::pair<const ConfigFigure*, const ConfigFigure*>> rows;
  const std::vector<ConfigFigure> left = load_machine_document(parse_machine_name(a).config).figures();
  const std::vector<ConfigFigure> right = load_machine_document(parse_machine_name(b).config).figures();
  for (const ConfigFigure& figure : left) rows[figure.key].first = &figure;
  for (const ConfigFigure& figure : right) rows[figure.key].second = &figure;
  fmt::print("{:<55} {:>14} {:>14} {:>9}  {}\n", "key", a, b, "ratio", "confidence");
  for (const auto& [key, row] : rows) {
    const std::string from = row.first == nullptr ? "-" : row.first->value;
    const std::string to = row.second == nullptr ? "-" : row.second->value;
    if (from == to) continue;
    fmt::print("{:<55} {:>14} {:>14} {:>9}  {} / {}\n", key, from, to, ratio_text(from, to),
               row.first == nullptr ? "-" : row.first->confidence,
               row.second == nullptr ? "-" : row.second->confidence);
  }
}

void add_new(CLI::App& config) {
  CLI::App* command = config.add_subcommand("new", "write a machine of your own that builds on another");
  auto request = std::make_shared<NewConfig>();
  command->add_option("name", request->name, "its name")->required();
  command->add_option("--from", request->from, "machine or file, with overlays")->required();
  command->add_option("--set", request->sets, "change a figure: key=value, key=4x, key=+10%; repeatable")
      ->required()
      ->allow_extra_args(false);
  command->add_flag("--unlinked", request->unlinked, "nothing scales along with HBM bandwidth");
  command->add_option("-o,--output", request->output, "file; else NAME.json in this folder");
  command->add_flag("--force", request->force, "replace a file");
  command->callback([request] { fmt::print("{}", write_new_config(*request)); });
}

}  // namespace

void add_config(CLI::App& app) {
  CLI::App* config = app.add_subcommand("config", "Machines: list, show with sources, differences, new ones");
  config->require_subcommand(1);
  config->footer(
      "Examples: trnsim config diff trn2 trn3\n"
      "          trnsim config new wide --from trn3 --set hbm.stack_mb_per_s=2x");
  config->add_subcommand("list", "known machines and shapes")->callback(list_machines);

  CLI::App* show_command = config->add_subcommand("show", "every figure with source and confidence");
  auto option = std::make_shared<MachineOption>();
  auto filter = std::make_shared<std::string>();
  show_command->add_option("name", option->machine, "machine or file")->required();
  show_command->add_option("--set", option->sets, "override a figure")->allow_extra_args(false);
  show_command->add_flag("--unlinked", option->unlinked, "nothing scales along with HBM bandwidth");
  show_command->add_option("--filter", *filter, "only keys that contain this");
  show_command->callback([option, filter] { show(*option, *filter); });

  CLI::App* diff_command = config->add_subcommand("diff", "figures that differ, with ratio");
  auto names = std::make_shared<std::array<std::string, 2>>();
  diff_command->add_option("a", (*names)[0], "machine or file")->required();
  diff_command->add_option("b", (*names)[1], "machine or file")->required();
  diff_command->callback([names] { diff((*names)[0], (*names)[1]); });
  add_new(*config);
}

}  // namespace trn
