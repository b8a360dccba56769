// trnsim collective
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "sim/cli/cli.h"
#include "sim/cli/machine_option.h"
#include "sim/run/collective_simulation.h"

namespace trn {
namespace {

struct CollectiveArguments {
  std::string op;
  MachineOption machine;
  std::uint64_t ranks_per_chip = 1;
  std::string sizes = "1MiB:1GiB:x4";
  std::string dtype = "bf16";
  std::string detail = "one";
  bool json = false;
};

// 4096, 64KiB, 1MB: binary units with i, decimal ones without.
std::uint64_t parse_size(const std::string& text) {
  static const std::vector<std::pair<std::string, double>> kUnits{
      {"", 1},     {"B", 1},      {"KB", 1e3},      {"MB", 1e6},
      {"GB", 1e9}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}};
  std::size_t used = 0;
  double number = 0;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  for (const auto& [unit, factor] : kUnits)
    if (used > 0 && text.substr(used) == unit && number * factor >= 1 && number * factor <= 1e15)
      return static_cast<std::uint64_t>(number * factor);
  throw UsageError("--sizes: \"" + text + "\": expected a size of 1 B to 1 PB such as 64KiB or 1GiB");
}

// "1MiB", or "1MiB:1GiB:x4".
std::vector<std::uint64_t> parse_sizes(const std::string& text) {
  const std::size_t first = text.find(':');
  if (first == std::string::npos) return {parse_size(text)};
  const std::size_t second = text.find(':', first + 1);
  const std::uint64_t from = parse_size(text.substr(0, first));
  const std::uint64_t to = parse_size(text.substr(first + 1, second - first - 1));
  double factor = 0;
  if (second != std::string::npos && text.compare(second, 2, ":x") == 0)
    factor = std::strtod(text.c_str() + second + 2, nullptr);
  if (!(factor > 1) || to < from)
    throw UsageError("--sizes " + text + ": expected FROM:TO:xFACTOR with FROM <= TO and FACTOR > 1");
  std::vector<std::uint64_t> sizes;
  for (double size = static_cast<double>(from); size <= static_cast<double>(to) * 1.0000001; size *= factor)
    sizes.push_back(static_cast<std::uint64_t>(size));
  return sizes;
}

CollectiveOp parse_op(const std::string& name) {
  const auto it = std::find(kCollectiveOps.begin(), kCollectiveOps.end(), name);
  if (it != kCollectiveOps.end()) return static_cast<CollectiveOp>(it - kCollectiveOps.begin());
  throw UsageError("collective \"" + name + "\": unknown" +
                   suggestion(name, {kCollectiveOps.begin(), kCollectiveOps.end()}));
}

void run(const CollectiveArguments& arguments) {
  CollectiveShape shape;
  shape.op = parse_op(arguments.op);
  shape.ranks_per_chip = arguments.ranks_per_chip;
  const MachineConfig machine = arguments.machine.load();
  const auto dtype = find_dtype(arguments.dtype);
  if (!dtype)
    throw UsageError("--dtype: unknown dtype \"" + arguments.dtype + '"' +
                     suggestion(arguments.dtype, dtype_names()));
  if (shape.ranks_per_chip == 0 || shape.ranks_per_chip > machine.chip.neuron_cores)
    throw UsageError("--ranks-per-chip: expected 1 to " + std::to_string(machine.chip.neuron_cores) + " on " +
                     machine.name);
  const std::uint64_t ranks = machine.fabric.chips() * shape.ranks_per_chip;
  if (ranks == 1)
    throw UsageError("--machine " + arguments.machine.machine +
                     ": a collective needs two ranks or more; name a shape such as " + machine.name +
                     ":instance or raise --ranks-per-chip");
  const auto detail =
      arguments.detail == "full" ? FabricResources::Detail::kAll : FabricResources::Detail::kOne;
  const std::vector<std::uint64_t> sizes = parse_sizes(arguments.sizes);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  if (!arguments.json)
    fmt::print(
        "# {} on {}:{}, {} ranks, {} a chip; GB = 1e9 B; size as nccom-test counts it\n{:>12} {:>12} {:>6} "
        "{:>12} {:>10} {:>10} {:>12} {:>8}  {:<10} {}\n",
        arguments.op, machine.name, machine.shape, ranks, shape.ranks_per_chip, "size(B)", "count", "type",
        "time(us)", "algbw(GB/s)", "busbw(GB/s)", "bound(us)", "ratio", "bound by", "binding");
  for (const std::uint64_t size : sizes) {
    shape.bytes = size;
    const CollectiveResult r = run_collective(shape, machine, detail);
    const double us = to_us(r.time);
    const double algbw = static_cast<double>(size) / us * 1e-3;
    const double busbw = algbw * busbw_factor(shape.op, ranks);
    const double bound_us = r.bound.picoseconds * 1e-6;
    if (arguments.json)
      json.push_back({{"operation", arguments.op},
                      {"size", size},
                      {"count", size / size_of(*dtype)},
                      {"type", arguments.dtype},
                      {"time_us", us},
                      {"algbw_gb_per_s", algbw},
                      {"busbw_gb_per_s", busbw},
                      {"bound_us", bound_us},
                      {"bound_by", r.bound.limited_by},
                      {"binding", r.binding}});
    else
      fmt::print("{:>12} {:>12} {:>6} {:>12.2f} {:>10.2f} {:>10.2f} {:>12.2f} {:>8.4f}  {:<10} {}\n", size,
                 size / size_of(*dtype), arguments.dtype, us, algbw, busbw, bound_us, us / bound_us,
                 r.bound.limited_by, r.binding);
  }
  if (arguments.json) fmt::print("{}\n", json.dump(2));
}

}  // namespace

void add_collective(CLI::App& app) {
  auto arguments = std::make_shared<CollectiveArguments>();
  CLI::App* command = app.add_subcommand("collective", "Time a collective on a shape, beside its bound");
  command->footer(
      "Example: trnsim collective all_reduce --machine trn2:ultraserver --ranks-per-chip 1 --sizes "
      "1MiB:1GiB:x4");
  command->add_option("op", arguments->op, "all_reduce, all_gather, reduce_scatter, all_to_all")->required();
  arguments->machine.add_to(*command, "trn2:instance");
  command->add_option("--ranks-per-chip", arguments->ranks_per_chip, "ranks a chip, all in one group")
      ->capture_default_str();
  command->add_option("--sizes", arguments->sizes, "SIZE or FROM:TO:xFACTOR")->capture_default_str();
  command->add_option("--dtype", arguments->dtype, "element type, for the count column")
      ->capture_default_str();
  command->add_option("--detail", arguments->detail, "one: one chip stands for all; full: every chip's flows")
      ->check(CLI::IsMember({"one", "full"}))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace trn
