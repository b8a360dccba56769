// What the kernel library says of measurements on one core.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/config/config_node.h"
#include "models/machine_config.h"
#include "sim/run/run_result.h"

namespace trn {

class KernelRuns {
 public:
  // `entry` of core_map.json: "machine", "run" (the kernel and its arguments), "metric", and of a
  // bandwidth_ratio the run it is relative to, "over". Runs that rows share are made once.
  double predict(ConfigNode& entry);

  struct Run {
    RunResult result;
    MachineConfig machine;
    bool fp32 = false;
  };

 private:
  const Run& get(const std::string& machine, const std::string& text);

  std::map<std::pair<std::string, std::string>, Run> done_;
};

}  // namespace trn
