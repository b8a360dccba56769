// The algorithms by name.
#pragma once

#include <string>
#include <vector>

#include "models/interconnect/collectives/algorithms/group_shape.h"
#include "models/interconnect/collectives/algorithms/task.h"
#include "models/interconnect/collectives/schedule/plan.h"

namespace trn {

// How data is reduced and gathered within a domain. Teams are added to the schedule; `stride` is 1.
struct Algorithm {
  const char* name;
  const char* what;
  // Why it can't be used for this group; empty if it can.
  std::string (*refusal)(const CollectiveTask& task, const GroupShape& shape);
  std::vector<Chain> (*chains)(const CollectiveTask& task, const GroupShape& shape, Schedule& schedule);
};
const std::vector<Algorithm>& algorithms();
// Theirs, and those that are no stages: what a configuration may name.
std::vector<std::string> staged_algorithm_names();

// "bucket", "bucket+rdh" (inside a domain + between domains), "direct", "pipeline", "single_step".
// Names with a + are for groups over several domains, all of them; "ring+flat" is one ring through them all.
std::vector<std::string> algorithm_names(const CollectiveTask& task, const GroupShape& shape);
// Empty, or why this algorithm can't do this task on this group, with what can.
std::string algorithm_refusal(const std::string& name, const CollectiveTask& task, const GroupShape& shape);
Schedule make_schedule(const std::string& name, const CollectiveTask& task, const GroupShape& shape);

// Parts shared by the algorithms.
inline std::string suits_any(const CollectiveTask&, const GroupShape&) { return {}; }  // a refusal
std::uint64_t pipeline_slices(const CollectiveTask& task, double share);
std::uint64_t ring_slices(const CollectiveTask& task, double share, std::uint32_t ring);
// The ranks of a chip as a first stage, if there are several.
void add_chip_stage(const GroupShape& shape, Schedule& schedule, std::vector<Stage>& stages);
// Exchanges that together join `size` ranks of one stride, a prime factor each; powers of two along a ring so
// that partners are close.
std::vector<std::uint32_t> factor_teams(std::uint32_t stride, std::uint32_t size, bool ring,
                                        std::uint32_t ranks, Schedule& schedule);

bool is_rooted(CollectiveOp op);  // broadcast or reduce
// Less than half as fast as the fastest: where a root's data is spread before it crosses.
bool is_slow(const GroupShape::Dimension& dimension, const std::vector<GroupShape::Dimension>& all);
// The cycles of all domains opened where they start and joined by EFA.
std::vector<Chain> flat_ring_chains(const CollectiveTask& task, const GroupShape& shape, Schedule& schedule);

// Whole schedules of their own.
Schedule direct_all_to_all(const CollectiveTask& task, const GroupShape& shape);
Schedule direct_gather(const CollectiveTask& task, const GroupShape& shape);
Schedule direct_scatter(const CollectiveTask& task, const GroupShape& shape);
Schedule direct_permute(const CollectiveTask& task, const GroupShape& shape);
Schedule direct_send(const CollectiveTask& task, const GroupShape& shape);
Schedule dissemination_barrier(const GroupShape& shape);
Schedule single_step_all_reduce(const CollectiveTask& task, const GroupShape& shape);
Schedule pipelined_broadcast(const CollectiveTask& task, const GroupShape& shape);
Schedule pipelined_reduce(const CollectiveTask& task, const GroupShape& shape);

// Shares of the data over the orders of dimensions in which the most loaded link is least loaded. An order's
// reduce-scatter passes the dimensions from first to last.
struct BucketOrder {
  std::vector<std::uint32_t> dimensions;
  double share;
};
std::vector<BucketOrder> balanced_orders(const std::vector<GroupShape::Dimension>& dimensions);

}  // namespace trn
