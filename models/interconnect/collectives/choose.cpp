#include "models/interconnect/collectives/choose.h"

#include "base/error.h"
#include "base/text.h"

namespace trn {

std::string choose_algorithm(const CollectiveTask& task, const GroupShape& shape,
                             const AlgorithmTable& table) {
  const bool rooted = task.op == CollectiveOp::kBroadcast || task.op == CollectiveOp::kReduce;
  std::vector<std::string> wanted = split(table.pick(rooted ? table.rooted : table.inside, task.bytes), '/');
  const std::vector<std::string> possible = algorithm_names(task, shape);
  wanted.insert(wanted.end(), possible.begin(), possible.end());
  for (std::string& name : wanted) {
    if (shape.domains > 1 && name.find('+') == std::string::npos)
      name += '+' + table.pick(table.between, task.bytes);
    if (algorithm_refusal(name, task, shape).empty()) return name;
  }
  throw UsageError("no algorithm suits this operation and group");
}

}  // namespace trn
