// trnsim topology show|check
#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "sim/cli/cli.h"
#include "sim/cli/machine_option.h"
#include "sim/cli/print_topology.h"
#include "sim/report/topology_drawing.h"

namespace trn {
namespace {

struct ShowArguments {
  MachineOption machine;
  std::string svg;
  bool json = false;
};

struct CheckArguments {
  MachineOption machine;
  std::string file;
};

void show(const ShowArguments& arguments) {
  const std::string shape = parse_machine_name(arguments.machine.machine).shape;
  const MachineConfig machine = parse_figures(arguments.machine.document(), shape);
  const Topology topology(machine.fabric);
  const std::string title = machine.name + ':' + machine.shape;
  if (!arguments.svg.empty())
    write_file_atomically(arguments.svg, topology_svg(topology, machine.fabric,
                                                      fmt::format("{}, {} chips", title, topology.chips())));
  fmt::print("{}", arguments.json ? topology_json(topology, title) : topology_text(topology, title));
}

void check(const CheckArguments& arguments) {
  if (!is_topology_file(arguments.file))
    throw UsageError("topology check: expected a file.json, found \"" + arguments.file + '"');
  const Topology topology(parse_figures(arguments.machine.document(), arguments.file).fabric);
  fmt::print("ok\n{}", topology_text(topology, arguments.file));
}

}  // namespace

void add_topology(CLI::App& app) {
  CLI::App* topology = app.add_subcommand("topology", "How a machine is wired: show, draw, check a file");
  topology->require_subcommand(1);
  topology->footer(
      "Examples: trnsim topology show trn3:gen2 -o gen2.svg\n"
      "          trnsim topology check configs/topologies/irregular.json");

  CLI::App* show_command =
      topology->add_subcommand("show", "chips, switches, links, rates, cuts, distances; a drawing");
  auto shown = std::make_shared<ShowArguments>();
  show_command->footer("Example: trnsim topology show trn2:ultraserver -o ultraserver.svg");
  show_command
      ->add_option("machine", shown->machine.machine,
                   "name or file with a shape: trn2:instance, trn2:topology.json")
      ->required();
  show_command
      ->add_option("--set", shown->machine.sets, "override a figure: key=value, key=4x, key=+10%; repeatable")
      ->allow_extra_args(false);
  show_command->add_option("-o,--output", shown->svg, "also draw it into this SVG file");
  show_command->add_flag("--json", shown->json, "print JSON");
  show_command->callback([shown] { show(*shown); });

  CLI::App* check_command = topology->add_subcommand("check", "is this file a topology");
  auto checked = std::make_shared<CheckArguments>();
  check_command->footer("Example: trnsim topology check configs/topologies/irregular.json");
  check_command->add_option("file", checked->file, "one shape object, as under shapes in a machine's file")
      ->required();
  checked->machine.add_to(*check_command, "trn2");
  check_command->callback([checked] { check(*checked); });
}

}  // namespace trn
