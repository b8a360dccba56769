// Rings over disjoint cycles of cables, both ways round.
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

std::vector<Chain> both_ways(const CollectiveTask& task, const GroupShape& shape, Schedule& schedule,
                             std::uint32_t lanes, std::uint32_t lane_step, const std::vector<Stage>& before) {
  std::vector<Chain> chains;
  for (const GroupShape::Ring& ring : shape.rings) {
    const std::uint32_t teams = schedule.add_teams(
        Teams::ordered(ranks_along(shape, ring.order, lanes, lane_step), shape.chips * lanes));
    for (const bool forward : {true, false}) {
      const double share = ring.rate / total_rate(shape) / 2;
      Chain chain{share, ring_slices(task, share, shape.chips * lanes), before};
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
  return both_ways(task, shape, schedule, shape.per_chip, 1, {});
}

std::vector<Chain> kangaring_chains(const CollectiveTask& task, const GroupShape& shape, Schedule& schedule) {
  Stage pair{Stage::Kind::kInPlace, schedule.add_teams(Teams::strided(1, 2))};
  pair.duplicate = true;
  return both_ways(task, shape, schedule, shape.per_chip / 2, 2, {pair});
}

std::string any(const CollectiveTask&, const GroupShape&) { return {}; }

std::string kangaring_refusal(const CollectiveTask&, const GroupShape& shape) {
  if (!shape.regular || shape.per_chip % 2 != 0)
    return "the group must have an even number of ranks on every chip";
  return shape.chips < 2 ? "the group must have two chips or more" : "";
}

}  // namespace

extern const Algorithm kRingAlgorithm{"ring", "disjoint cycles of cables, both ways round, over all ranks",
                                      any, ring_chains};
extern const Algorithm kKangaRingAlgorithm{
    "kangaring", "rings over pairs of a chip's ranks: one reads for both and writes to both",
    kangaring_refusal, kangaring_chains};

}  // namespace trn
