// trnsim config list|show|diff
#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "sim/cli/cli.h"
#include "sim/cli/machine_option.h"

namespace trn {
namespace {

void list_machines() {
  fmt::print("{:<8} {:<16} {:>6} {:>12} {:>10} {:>10}  {}\n", "machine", "core", "cores", "BF16 TFLOPS",
             "HBM GiB", "HBM TB/s", "shapes (chips)");
  for (const std::string& name : known_machines()) {
    const ConfigDocument document = load_machine_document(name);
    const MachineConfig chip = parse_machine(document, "chip");
    std::string shapes;
    for (const std::string& shape : document.root().child("shapes").keys())
      shapes += fmt::format("{}({}) ", shape, parse_machine(document, shape).fabric.chips());
    fmt::print("{:<8} {:<16} {:>6} {:>12.1f} {:>10} {:>10.2f}  {}\n", name, chip.generation,
               chip.chip.neuron_cores,
               chip.core_bf16_flops() * static_cast<double>(chip.chip.neuron_cores) * 1e-12,
               chip.hbm.capacity_mib / 1024,
               static_cast<double>(chip.hbm.stack_rate.count() * chip.hbm.stacks) * 1e-6, shapes);
  }
}

void show(const MachineOption& option, const std::string& filter) {
  const ConfigDocument document = option.document();
  parse_machine(document, parse_machine_name(option.machine).shape);  // complain before printing
  for (const ConfigFigure& figure : document.figures())
    if (figure.key.find(filter) != std::string::npos)
      fmt::print("{} = {}  [{}] {}\n", figure.key, figure.value, figure.confidence, figure.source);
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

}  // namespace

void add_config(CLI::App& app) {
  CLI::App* config = app.add_subcommand("config", "Machines: list, show with sources, differences");
  config->require_subcommand(1);
  config->footer("Example: trnsim config diff trn2 trn3");
  config->add_subcommand("list", "known machines and shapes")->callback(list_machines);

  CLI::App* show_command = config->add_subcommand("show", "every figure with source and confidence");
  auto option = std::make_shared<MachineOption>();
  auto filter = std::make_shared<std::string>();
  show_command->add_option("name", option->machine, "machine or file")->required();
  show_command->add_option("--set", option->sets, "override a figure")->allow_extra_args(false);
  show_command->add_option("--filter", *filter, "only keys that contain this");
  show_command->callback([option, filter] { show(*option, *filter); });

  CLI::App* diff_command = config->add_subcommand("diff", "figures that differ, with ratio");
  auto names = std::make_shared<std::array<std::string, 2>>();
  diff_command->add_option("a", (*names)[0], "machine or file")->required();
  diff_command->add_option("b", (*names)[1], "machine or file")->required();
  diff_command->callback([names] { diff((*names)[0], (*names)[1]); });
}

}  // namespace trn
