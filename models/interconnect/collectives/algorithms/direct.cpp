// One step to everywhere, and what has no reduction.
#include "base/error.h"
#include "models/interconnect/collectives/algorithms/algorithm.h"

namespace trn {
namespace {

BlockLayout block_layout(const CollectiveTask& task, std::uint32_t ranks) {
  return task.sizes.empty() ? BlockLayout::uniform(task.bytes, ranks, task.granule)
                            : BlockLayout::sized(task.sizes, task.granule);
}

Schedule empty_schedule(const GroupShape& shape, BlockLayout layout) {
  Schedule schedule;
  schedule.ranks = shape.ranks;
  schedule.layout = std::move(layout);
  return schedule;
}

Step copy(Place to, Blocks blocks) {
  Step step;
  step.sources = {{Place::self(), kInput}};
  step.destinations = {{to, kOutput}};
  step.blocks = std::move(blocks);
  return step;
}

// Even blocks where they divide. A small group's odd ones are sent as they are, a large group's padded.
BlockLayout all_to_all_layout(const CollectiveTask& task, std::uint32_t ranks) {
  if (!task.sizes.empty()) return BlockLayout::matrix(task.sizes, ranks);
  if (task.bytes % ranks == 0) return BlockLayout::uniform(task.bytes, ranks);
  if (ranks > 64) return BlockLayout::uniform((task.bytes / ranks + 1) * ranks, ranks);
  std::vector<std::uint64_t> sizes(std::size_t{ranks} * ranks);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::uint64_t to = i % ranks;
    sizes[i] = task.bytes / ranks + (to < task.bytes % ranks ? 1 : 0);
  }
  return BlockLayout::matrix(std::move(sizes), ranks);
}

}  // namespace

Schedule direct_all_to_all(const CollectiveTask& task, const GroupShape& shape) {
  Schedule schedule = empty_schedule(shape, all_to_all_layout(task, shape.ranks));
  const std::uint32_t all = schedule.add_teams(Teams::strided(1, shape.ranks));
  for (std::uint32_t o = 1; o < shape.ranks; ++o) {
    Step step = copy(Place::teammate(all, o), {Place::teammate(all, o), {}});
    step.landing = {{Place::self(), {}}};
    step.ring_share = 1.0 / (shape.ranks - 1);
    step.triggered = schedule.steps.empty();
    schedule.steps.push_back(std::move(step));
  }
  return schedule;
}

Schedule direct_gather(const CollectiveTask& task, const GroupShape& shape) {
  Schedule schedule = empty_schedule(shape, block_layout(task, shape.ranks));
  schedule.symmetric = false;
  Step step = copy(Place::rank(task.root), {Place::self(), {}});
  for (std::uint32_t r = 0; r < shape.ranks; ++r)
    if (r != task.root) step.executors.push_back(r);
  schedule.steps.push_back(std::move(step));
  return schedule;
}

Schedule direct_scatter(const CollectiveTask& task, const GroupShape& shape) {
  Schedule schedule = empty_schedule(shape, block_layout(task, shape.ranks));
  schedule.symmetric = false;
  for (std::uint32_t r = 0; r < shape.ranks; ++r) {
    if (r == task.root) continue;
    Step step = copy(Place::rank(r), {Place::rank(r), {}});
    step.executors = {task.root};
    step.ring_share = 1.0 / (shape.ranks - 1);
    step.triggered = schedule.steps.empty();
    schedule.steps.push_back(std::move(step));
  }
  return schedule;
}

Schedule direct_permute(const CollectiveTask& task, const GroupShape& shape) {
  Schedule schedule = empty_schedule(shape, BlockLayout::uniform(task.bytes, 1));
  const std::uint32_t all = schedule.add_teams(Teams::strided(1, shape.ranks));
  if (task.pairs.empty()) {
    schedule.steps.push_back(copy(Place::teammate(all, task.shift), {Place::rank(0), {}}));
    return schedule;
  }
  schedule.symmetric = false;
  for (const auto& [from, to] : task.pairs) {
    schedule.steps.push_back(copy(Place::rank(to), {Place::rank(0), {}}));
    schedule.steps.back().executors = {from};
  }
  return schedule;
}

Schedule direct_send(const CollectiveTask& task, const GroupShape& shape) {
  Schedule schedule = direct_permute(task, shape);
  schedule.symmetric = false;
  schedule.steps[0].executors = {task.root};
  return schedule;
}

// In round k every rank signals the one 2^k further on; a rank that has heard in every round has, through
// others, heard of all.
Schedule dissemination_barrier(const GroupShape& shape) {
  Schedule schedule = empty_schedule(shape, BlockLayout::uniform(kBarrierBytes, 1));
  const std::uint32_t all = schedule.add_teams(Teams::strided(1, shape.ranks));
  for (std::uint64_t distance = 1; distance < shape.ranks; distance *= 2) {
    Step step = copy(Place::teammate(all, static_cast<std::int64_t>(distance)), {Place::rank(0), {}});
    if (!schedule.steps.empty()) step.received = {{static_cast<std::uint32_t>(schedule.steps.size() - 1), 0}};
    schedule.steps.push_back(std::move(step));
  }
  return schedule;
}

// Everyone's whole buffer to everyone, then each sums up what it got.
Schedule single_step_all_reduce(const CollectiveTask& task, const GroupShape& shape) {
  Schedule schedule = empty_schedule(shape, BlockLayout::uniform(task.bytes, 1));
  const std::uint32_t all = schedule.add_teams(Teams::strided(1, shape.ranks));
  std::vector<Piece> parts{{Place::self(), kInput}};
  std::vector<Step::Arrival> arrived;
  for (std::uint32_t o = 1; o < shape.ranks; ++o) {
    const auto number = static_cast<std::uint32_t>(schedule.steps.size());
    Step step = copy(Place::teammate(all, o), {Place::rank(0), {}});
    step.destinations[0].buffer = number;
    step.ring_share = 1.0 / (shape.ranks - 1);
    step.triggered = schedule.steps.empty();
    schedule.steps.push_back(std::move(step));
    parts.push_back({Place::self(), number});
    arrived.push_back({number, 0});
  }
  while (parts.size() > 1) {
    const auto number = static_cast<std::uint32_t>(schedule.steps.size());
    const std::size_t take = std::min(parts.size(), kMaxSources);
    Step step;
    step.sources.assign(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(take));
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(take));
    step.destinations = {{Place::self(), parts.empty() ? kOutput : number}};
    step.blocks = {Place::rank(0), {}};
    step.received = arrived;
    schedule.steps.push_back(std::move(step));
    parts.push_back({Place::self(), number});
    arrived.push_back({number, 0});
  }
  return schedule;
}

}  // namespace trn
