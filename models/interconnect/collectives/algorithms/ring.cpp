// Rings over disjoint cycles of cables, both ways round.
#include <algorithm>

#include "models/interconnect/collectives/algorithms/algorithm.h"

namespace trn {
namespace {

// Chips in the order of a cycle, `lanes` ranks of each in a row; then the same for the ranks that are
// `lane_step` off, and so on: `copies` rings of equal length.
std::vector<std::uint32_t> ranks_along(const GroupShape& shape, const std::vector<std::uint32_t>& cycle,
                                       std::uint32_t lanes, std::uint32_t lane_step) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t domain = 0; domain < shape.domains; ++domain)
    for (std::uint32_t copy = 0; copy < lane_step; ++copy)
      for (const std::uint32_t chip : cycle)
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
          order.push_back((domain * shape.chips + chip) * shape.per_chip + lane * lane_step + copy);
  return order;
}

double total_rate(const GroupShape& shape) {
  double sum = 0;
  for (const GroupShape::Ring& ring : shape.rings) sum += ring.rate;
  return sum;
}

// `size`: of the rings.
std::vector<Chain> both_ways(const CollectiveTask& task, const GroupShape& shape, Schedule& schedule,
                             std::uint32_t size, std::uint32_t lanes, std::uint32_t lane_step,
                             const std::vector<Stage>& before) {
  std::vector<Chain> chains;
  for (const GroupShape::Ring& ring : shape.rings) {
    const std::uint32_t teams =
        schedule.add_teams(Teams::ordered(ranks_along(shape, ring.order, lanes, lane_step), size));
    for (const bool forward : {true, false}) {
      const double share = ring.rate / total_rate(shape) / 2;
      Chain chain{share, ring_slices(task, share, size), before};
      chain.stages.push_back({Stage::Kind::kRing, teams, forward});
      chains.push_back(std::move(chain));
    }
  }
  return chains;
}

std::vector<Chain> ring_chains(const CollectiveTask& task, const GroupShape& shape, Schedule& schedule) {
  if (!shape.regular || shape.rings.empty()) {  // one tour over whatever there is
    std::vector<std::uint32_t> order = shape.tour;
    for (std::uint32_t r = 0; order.size() < shape.ranks; ++r) order.push_back(r);
    const std::uint32_t size = shape.ranks / shape.domains;
    const std::uint32_t teams = schedule.add_teams(Teams::ordered(std::move(order), size));
    const std::uint64_t slices = ring_slices(task, 0.5, size);
    return {{0.5, slices, {{Stage::Kind::kRing, teams, true}}},
            {0.5, slices, {{Stage::Kind::kRing, teams, false}}}};
  }
  return both_ways(task, shape, schedule, shape.chips * shape.per_chip, shape.per_chip, 1, {});
}

std::vector<Chain> kangaring_chains(const CollectiveTask& task, const GroupShape& shape, Schedule& schedule) {
  Stage pair{Stage::Kind::kInPlace, schedule.add_teams(Teams::strided(1, 2))};
  pair.duplicate = true;
  const std::uint32_t lanes = shape.per_chip / 2;
  return both_ways(task, shape, schedule, shape.chips * lanes, lanes, 2, {pair});
}

// Opens every cycle where no other one is, if it can, so that each has network cards of its own.
void open_apart(std::vector<GroupShape::Ring>& rings) {
  std::vector<std::uint32_t> ends;
  const auto free = [&](std::uint32_t chip) {
    return std::find(ends.begin(), ends.end(), chip) == ends.end();
  };
  for (GroupShape::Ring& ring : rings) {
    for (std::size_t turn = 0; turn < ring.order.size(); ++turn) {
      if (free(ring.order.front()) && free(ring.order.back())) break;
      std::rotate(ring.order.begin(), ring.order.begin() + 1, ring.order.end());
    }
    ends.insert(ends.end(), {ring.order.front(), ring.order.back()});
  }
}

std::string kangaring_refusal(const CollectiveTask&, const GroupShape& shape) {
  if (!shape.regular || shape.per_chip % 2 != 0)
    return "the group must have an even number of ranks on every chip";
  return shape.chips < 2 ? "the group must have two chips or more" : "";
}

}  // namespace

std::vector<Chain> flat_ring_chains(const CollectiveTask& task, const GroupShape& shape, Schedule& schedule) {
  GroupShape open = shape;
  if (open.rings.empty()) open.rings.push_back({{0}, 1});  // of one chip a domain
  open_apart(open.rings);
  schedule.symmetric = false;  // EFA is at the ends only
  return both_ways(task, open, schedule, shape.ranks, shape.per_chip, 1, {});
}

extern const Algorithm kRingAlgorithm{"ring", "disjoint cycles of cables, both ways round, over all ranks",
                                      suits_any, ring_chains};
extern const Algorithm kKangaRingAlgorithm{
    "kangaring", "rings over pairs of a chip's ranks: one reads for both and writes to both",
    kangaring_refusal, kangaring_chains};

}  // namespace trn
