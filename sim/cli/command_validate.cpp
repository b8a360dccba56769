// trnsim validate
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "base/error.h"
#include "sim/cli/cli.h"
#include "sim/validation/validate.h"
#include "sim/validation/worked_bounds.h"

namespace trn {
namespace {

struct ValidateArguments {
  std::string scale = "all";
  std::string filter;
  std::string data = TRNSIM_VALIDATION_DIR;
  bool unmapped = false;
  bool bounds = false;
};

std::vector<ValidationRow> measure(const ValidateArguments& arguments) {
  std::vector<ValidationRow> rows;
  const auto add = [&](const char* name, ValidationScale scale) {
    if (arguments.scale != name && arguments.scale != "all") return;
    std::vector<ValidationRow> more = validate(arguments.data, scale, arguments.filter);
    rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  add("core", ValidationScale::kCore);
  add("collective", ValidationScale::kCollective);
  return rows;
}

std::string measured_text(const MeasuredRow& row) {
  return row.most ? fmt::format("{:g}-{:g}", row.value, *row.most) : fmt::format("{:.6g}", row.value);
}

void print(const ValidateArguments& arguments) {
  const std::vector<ValidationRow> rows = measure(arguments);
  fmt::print("{:<52} {:<13} {:<9} {:>14} {:>14} {:<12} {:>8}\n", "row", "group", "use", "predicted",
             "measured", "unit", "error");
  std::size_t left = 0;
  for (const ValidationRow& row : rows) {
    if (!row.predicted) {
      ++left;
      continue;
    }
    fmt::print("{:<52} {:<13} {:<9} {:>14.6g} {:>14} {:<12} {:>7.1f}%{}\n", row.measured.id, row.group,
               row.measured.use, *row.predicted, measured_text(row.measured), row.measured.unit,
               100 * (std::exp(row.log_error()) - 1), row.upper ? " (a ceiling)" : "");
  }
  fmt::print("\n{:<13} {:<9} {:>5} {:>15} {:>20}\n", "group", "use", "rows", "geometric mean",
             "predicted/measured");
  for (const GroupScore& score : scores(rows))
    fmt::print("{:<13} {:<9} {:>5} {:>13.1f} % {:>20.3f}\n", score.group, score.use, score.rows,
               100 * (score.geometric_mean - 1), score.bias);
  fmt::print("\n{} rows have no run here{}\n", left, arguments.unmapped ? ":" : "; --unmapped says why");
  for (const ValidationRow& row : rows)
    if (arguments.unmapped && !row.predicted) fmt::print("  {:<52} {}\n", row.measured.id, row.why);
}

void print_bounds() {
  fmt::print("# one rank a chip, times in us; bound: what the links alone allow\n");
  fmt::print("{:<17} {:<15} {:<15} {:<42} {:<10}", "machine", "links", "collective", "bound", "algorithm");
  for (const char* size : {"1 MiB", "64 MiB", "1 GiB"})
    fmt::print(" | {:>8} {:>8} {:>6}", size, "time", "ratio");
  fmt::print("\n");
  for (const WorkedBound& row : worked_bounds()) {
    fmt::print("{:<17} {:<15} {:<15} {:<42} {:<10}", row.machine, row.links,
               kCollectiveOps[static_cast<std::size_t>(row.op)], row.words, row.algorithm);
    for (std::size_t i = 0; i < kWorkedSizes.size(); ++i)
      fmt::print(" | {:>8.2f} {:>8.2f} {:>6.3f}", row.bound_us[i], row.time_us[i],
                 row.time_us[i] / row.bound_us[i]);
    fmt::print("\n");
  }
}

}  // namespace

void add_validate(CLI::App& app) {
  auto arguments = std::make_shared<ValidateArguments>();
  CLI::App* command = app.add_subcommand("validate", "Simulate what has been measured, and compare");
  command->footer("Examples: trnsim validate --scale core\n          trnsim validate --bounds");
  command
      ->add_option("--scale", arguments->scale,
                   "core: kernels on one NeuronCore; collective: between them; all")
      ->check(CLI::IsMember({"core", "collective", "all"}))
      ->capture_default_str();
  command->add_option("--filter", arguments->filter, "only rows whose id contains this");
  command->add_option("--data", arguments->data, "folder of the measurements and their maps");
  command->add_flag("--unmapped", arguments->unmapped, "also list the rows that are not simulated, and why");
  command->add_flag("--bounds", arguments->bounds,
                    "instead: collectives on every fabric beside what its links allow");
  command->callback([arguments] { arguments->bounds ? print_bounds() : print(*arguments); });
}

}  // namespace trn
