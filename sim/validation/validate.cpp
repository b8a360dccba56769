#include "sim/validation/validate.h"

#include <cmath>

#include "base/config/config_document.h"
#include "sim/validation/collective_runs.h"
#include "sim/validation/kernel_runs.h"

namespace trn {

double ValidationRow::log_error() const {
  const double most = measured.most.value_or(measured.value);
  if (measured.most && *predicted >= measured.value && *predicted <= most) return 0;
  return std::log(*predicted / (*predicted > most ? most : measured.value));
}

std::vector<ValidationRow> validate(const std::string& folder, ValidationScale scale,
                                    const std::string& filter) {
  const bool core = scale == ValidationScale::kCore;
  const ConfigDocument map =
      ConfigDocument::load(folder + (core ? "/core_map.json" : "/collectives_map.json"));
  ConfigNode root = map.root();
  KernelRuns kernels;
  CollectiveRuns collectives;
  const std::vector<MeasuredRow> all = read_measurements(folder + (core ? "/core.csv" : "/collectives.csv"));
  std::vector<ValidationRow> rows;
  for (const MeasuredRow& measured : all) {
    ConfigNode entry = root.child(measured.id);
    if (measured.id.find(filter) == std::string::npos) continue;
    ValidationRow row;
    row.measured = measured;
    if (entry.has("why")) {
      row.why = entry.text("why");
    } else {
      row.group = entry.text("group");
      row.upper = entry.has("bound") && entry.text("bound") == "upper";
      row.predicted = core ? kernels.predict(entry) : collectives.predict(entry, all, row.measured);
      row.run = entry.text("run") + (core ? " (" + entry.text("machine") + ')' : "");
    }
    entry.reject_unknown_keys();
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace trn
