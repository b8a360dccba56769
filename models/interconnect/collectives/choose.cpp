#include "models/interconnect/collectives/choose.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace trn {

std::string choose_algorithm(const CollectiveTask& task, const GroupShape& shape,
                             const AlgorithmTable& table) {
  const bool rooted = task.op == CollectiveOp::kBroadcast || task.op == CollectiveOp::kReduce;
  std::vector<std::string> wanted = split(table.pick(rooted ? table.rooted : table.inside, task.bytes), '/');
  const std::vector<std::string> possible = algorithm_names(task, shape);
  wanted.insert(wanted.end(), possible.begin(), possible.end());
  for (const std::string& name : wanted) {
    // Names of the table are for the inside of a domain.
    const bool whole =
        shape.domains == 1 || std::find(possible.begin(), possible.end(), name) != possible.end();
    const std::string& between = table.pick(table.between, task.bytes);
    for (const std::string& how : split(whole ? "" : between, '/')) {
      const std::string full = whole ? name : name + '+' + how;
      if (algorithm_refusal(full, task, shape).empty()) return full;
    }
  }
  throw UsageError("no algorithm suits this operation and group");
}

}  // namespace trn
