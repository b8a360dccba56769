// trnsim validate
#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "sim/cli/cli.h"
#include "sim/run/validation.h"

namespace trn {
namespace {

struct ValidateArguments {
  std::string scale = "core";
  std::string filter;
  std::string data = TRNSIM_VALIDATION_DIR;
  bool unmapped = false;
};

void print(const ValidateArguments& arguments) {
  const std::vector<ValidationRow> rows = validate(arguments.data, arguments.filter);
  fmt::print("{:<52} {:<13} {:<9} {:>14} {:>14} {:<12} {:>8}\n", "row", "group", "use", "predicted",
             "measured", "unit", "error");
  std::size_t left = 0;
  for (const ValidationRow& row : rows) {
    if (!row.predicted) {
      ++left;
      continue;
    }
    fmt::print("{:<52} {:<13} {:<9} {:>14.6g} {:>14.6g} {:<12} {:>7.1f}%{}\n", row.measured.id, row.group,
               row.measured.use, *row.predicted, row.measured.value, row.measured.unit,
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

}  // namespace

void add_validate(CLI::App& app) {
  auto arguments = std::make_shared<ValidateArguments>();
  CLI::App* command = app.add_subcommand("validate", "Simulate what has been measured, and compare");
  command->footer("Example: trnsim validate --scale core");
  command->add_option("--scale", arguments->scale, "core: kernels on one NeuronCore")
      ->check(CLI::IsMember({"core"}))
      ->capture_default_str();
  command->add_option("--filter", arguments->filter, "only rows whose id contains this");
  command->add_option("--data", arguments->data, "folder of core.csv and core_map.json");
  command->add_flag("--unmapped", arguments->unmapped, "also list the rows that are not simulated, and why");
  command->callback([arguments] { print(*arguments); });
}

}  // namespace trn
