// What the fabric says of measured collectives.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/config/config_node.h"
#include "sim/run/collective_simulation.h"
#include "sim/validation/measurements.h"

namespace trn {

// The arguments of `trnsim collective` that rows use: operation, --machine, --ranks-per-chip, --domains,
// --group (ranks separated by commas), --algorithm, --sizes (bytes, or from:to:xfactor).
struct CollectiveRunText {
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::string machine;
  std::uint32_t ranks_per_chip = 1, domains = 1;
  std::vector<std::uint32_t> group;  // empty: all
  std::string algorithm = "auto";
  std::uint64_t from = 0, to = 0;  // bytes
};
// ConfigError naming `where`.
CollectiveRunText parse_collective_run(const std::string& text, const std::string& where);

class CollectiveRuns {
 public:
  // `entry` of collectives_map.json: "run", "metric", and what the metric asks for besides. `rows` are all
  // measured rows: a slope is taken between two, and `measured` becomes the slope.
  double predict(ConfigNode& entry, const std::vector<MeasuredRow>& rows, MeasuredRow& measured);

 private:
  const CollectiveResult& get(const CollectiveRunText& run, std::uint64_t bytes);
  double us(const CollectiveRunText& run, std::uint64_t bytes) { return to_us(get(run, bytes).time); }
  // Bytes a microsecond between the two sizes.
  double slope(const CollectiveRunText& run);
  // A ring's all-reduce has so many steps more than its all-gather as it has ranks less one.
  double hop_us(CollectiveRunText run);
  // Bytes from which `second` is faster than `first`, between 64 KiB and 1 GiB.
  double crossover(CollectiveRunText run, const std::string& first, const std::string& second);
  const MachineConfig& machine(const std::string& name);

  std::map<std::string, MachineConfig> machines_;
  std::map<std::string, CollectiveResult> done_;
};

}  // namespace trn
