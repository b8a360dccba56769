#include "sim/study/sweep/worker.h"

#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "base/sizes.h"
#include "base/text.h"
#include "sim/study/fork_pool.h"
#include "sim/study/progress.h"
#include "sim/study/sweep/point_store.h"

namespace trn {
namespace {

std::optional<std::size_t> index_of_environment(std::size_t count) {
  for (const auto& [name, first] : {std::pair{"SLURM_ARRAY_TASK_ID", 0}, std::pair{"JOB_COMPLETION_INDEX", 0},
                                    std::pair{"PARALLEL_SEQ", 1}}) {
    const char* text = std::getenv(name);
    if (text == nullptr) continue;
    const auto from = static_cast<std::uint64_t>(first);
    return parse_count(name, text, from, from + count - 1) - from;
  }
  return std::nullopt;
}

}  // namespace

Shard parse_shard(const std::string& text, std::size_t count) {
  if (text.empty()) {
    if (count == 1) return {};
    const std::optional<std::size_t> index = index_of_environment(count);
    if (!index)
      throw UsageError(
          "--shards " + std::to_string(count) +
          ": no SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or PARALLEL_SEQ in the environment; give "
          "--shard INDEX/COUNT");
    return {*index, count};
  }
  const std::vector<std::string> parts = split(text, '/');
  if (parts.size() != 2) throw UsageError("--shard " + text + ": expected INDEX/COUNT such as 0/4");
  Shard shard;
  shard.count = parse_count("--shard", parts[1], 1, kMaxPoints);
  shard.index = parse_count("--shard", parts[0], 0, shard.count - 1);
  return shard;
}

WorkSummary work_on(const Plan& plan, const std::string& folder, Shard shard, std::size_t jobs) {
  const PointStore store(folder);
  WorkSummary summary;
  std::vector<const PlanPoint*> open;
  for (std::size_t i = shard.index; i < plan.points.size(); i += shard.count) {
    if (store.has(plan.points[i]))
      ++summary.there;
    else
      open.push_back(&plan.points[i]);
  }
  Progress progress("sweep", open.size());
  // The file is written by the process that computed it: what is done is safe whatever happens to this one.
  const auto work = [&](std::size_t i) -> std::string {
    store.put(*open[i], {work_of(open[i]->question)(), 0, ""});
    return "";
  };
  run_forked(open.size(), jobs, work, [&](std::size_t i, const WorkResult& result) {
    progress.one_done(result.ok());
    if (result.ok()) {
      ++summary.computed;
      return;
    }
    if (summary.failed++ == 0) {
      summary.exit_code = result.exit_code;
      summary.first_error = result.text;
    }
    store.put(*open[i], {{}, result.exit_code, result.text});
  });
  return summary;
}

}  // namespace trn
