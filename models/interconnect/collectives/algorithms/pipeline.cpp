// From rank to rank along the rings, slice after slice.
#include <algorithm>

#include "models/interconnect/collectives/algorithms/algorithm.h"

namespace trn {
namespace {

struct Lane {
  std::vector<std::uint32_t> order;  // all ranks, the root first
  Part part;
};

// One lane a ring and direction: that part of the data goes round it.
std::vector<Lane> lanes(const CollectiveTask& task, const GroupShape& shape) {
  std::vector<std::pair<std::vector<std::uint32_t>, double>> rings;
  for (const GroupShape::Ring& ring : shape.rings) {
    std::vector<std::uint32_t> order;
    for (const std::uint32_t chip : ring.order)
      for (std::uint32_t lane = 0; lane < shape.per_chip; ++lane)
        order.push_back(chip * shape.per_chip + lane);
    rings.emplace_back(std::move(order), ring.rate);
  }
  if (!shape.regular || rings.empty()) {
    std::vector<std::uint32_t> order = shape.tour;
    for (std::uint32_t r = 0; order.size() < shape.ranks; ++r) order.push_back(r);
    rings = {{std::move(order), 1}};
  }
  double total = 0;
  for (const auto& [order, rate] : rings) total += 2 * rate;
  std::vector<Lane> out;
  double at = 0;
  for (auto& [order, rate] : rings) {
    std::rotate(order.begin(), std::find(order.begin(), order.end(), task.root), order.end());
    for (int way = 0; way < 2; ++way) {
      const double from = at;
      at = out.size() + 1 == 2 * rings.size() ? 1 : at + rate / total;
      out.push_back({order, {from, at}});
      std::reverse(order.begin() + 1, order.end());
    }
  }
  return out;
}

// Calls step(lane, slice's part, hop, previous hop of the slice, the same hop of the slice before); numbers
// are -1 where there is none. Hops are counted in the order in which data passes them.
template <class Make>
Schedule hops(const CollectiveTask& task, const GroupShape& shape, const Make& make) {
  Schedule schedule;
  schedule.ranks = shape.ranks;
  schedule.layout = BlockLayout::uniform(task.bytes, 1, task.granule);
  schedule.symmetric = false;
  for (const Lane& lane : lanes(task, shape)) {
    const double share = lane.part.to - lane.part.from;
    const std::uint64_t slices = pipeline_slices(task, share);
    std::vector<std::uint32_t> before;
    for (std::uint64_t s = 0; s < slices; ++s) {
      const auto border = [&](std::uint64_t i) {
        return i == slices ? lane.part.to
                           : lane.part.from + share * static_cast<double>(i) / static_cast<double>(slices);
      };
      std::vector<std::uint32_t> own;
      for (std::uint32_t hop = 0; hop + 1 < shape.ranks; ++hop) {
        const auto number = static_cast<std::uint32_t>(schedule.steps.size());
        Step step = make(lane, hop, number);
        step.blocks = {Place::rank(0), {}};
        step.part = {border(s), border(s + 1)};
        if (hop > 0) step.received = {{own.back(), 0}};
        if (!before.empty()) step.own = {before[hop]};
        schedule.steps.push_back(std::move(step));
        own.push_back(number);
      }
      before = std::move(own);
    }
  }
  return schedule;
}

}  // namespace

Schedule pipelined_broadcast(const CollectiveTask& task, const GroupShape& shape) {
  return hops(task, shape, [](const Lane& lane, std::uint32_t hop, std::uint32_t) {
    Step step;
    step.executors = {lane.order[hop]};
    step.sources = {{Place::self(), kOutput}};
    step.destinations = {{Place::rank(lane.order[hop + 1]), kOutput}};
    return step;
  });
}

// From the far end towards the root: everyone adds its own to what it got. The root adds by reading both.
Schedule pipelined_reduce(const CollectiveTask& task, const GroupShape& shape) {
  const std::uint32_t last = shape.ranks - 1;
  Schedule schedule = hops(task, shape, [last](const Lane& lane, std::uint32_t hop, std::uint32_t number) {
    Step step;
    step.executors = {lane.order[last - hop]};
    step.sources = {{Place::self(), kInput}};
    if (hop > 0) step.sources.push_back({Place::self(), number - 1});
    step.destinations = {{Place::rank(lane.order[last - hop - 1]), number}};
    return step;
  });
  const std::size_t moves = schedule.steps.size();
  for (std::size_t s = 0; s < moves; ++s) {
    const Step& arrived = schedule.steps[s];
    if (static_cast<std::uint32_t>(arrived.destinations[0].at.offset) != task.root) continue;
    Step sum;
    sum.executors = {task.root};
    sum.sources = {{Place::self(), kInput}, {Place::self(), static_cast<std::uint32_t>(s)}};
    sum.destinations = {{Place::self(), kOutput}};
    sum.blocks = arrived.blocks;
    sum.part = arrived.part;
    sum.received = {{static_cast<std::uint32_t>(s), 0}};
    schedule.steps.push_back(std::move(sum));
  }
  return schedule;
}

}  // namespace trn
