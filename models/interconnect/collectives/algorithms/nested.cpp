// Stages over chips and dimensions: mesh, recursive doubling-halving, buckets.
#include <algorithm>
#include <numeric>

#include "models/interconnect/collectives/algorithms/algorithm.h"

namespace trn {

std::uint64_t pipeline_slices(const CollectiveTask& task, double share) {
  const double wanted = static_cast<double>(task.bytes) * share / static_cast<double>(task.min_slice_bytes);
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::min(wanted, static_cast<double>(task.slices))));
}

// On a ring every block is sliced: while one slice is reduced, the next is on its way.
std::uint64_t ring_slices(const CollectiveTask& task, double share, std::uint32_t ring) {
  return std::max(task.ring_slices, pipeline_slices(task, share / ring));
}

void add_chip_stage(const GroupShape& shape, Schedule& schedule, std::vector<Stage>& stages) {
  if (shape.regular && shape.per_chip > 1)
    stages.push_back({Stage::Kind::kInPlace, schedule.add_teams(Teams::strided(1, shape.per_chip))});
}

namespace {

// Each rank of a chip reduces its share of the chip's data while it sends to the other chips. What is large
// is sliced, so that one slice is reduced while the next is on its way.
std::vector<Chain> mesh_chains(const CollectiveTask& task, const GroupShape& shape, Schedule& schedule) {
  constexpr std::uint64_t kSlices = 16;
  Chain chain;
  chain.slices = std::clamp<std::uint64_t>(task.bytes / shape.ranks / task.packet_bytes, 1, kSlices);
  add_chip_stage(shape, schedule, chain.stages);
  const std::uint32_t ranks = shape.regular ? shape.chips : shape.ranks;
  if (ranks > 1)
    chain.stages.push_back({Stage::Kind::kExchange,
                            schedule.add_teams(Teams::strided(shape.regular ? shape.per_chip : 1, ranks))});
  return {chain};
}

// With a root, slow dimensions come last in every order: what has been spread by then crosses them.
std::vector<BucketOrder> bucket_orders(const CollectiveTask& task, const GroupShape& shape) {
  if (!is_rooted(task.op)) return balanced_orders(shape.dimensions);
  std::vector<GroupShape::Dimension> fast;
  std::vector<std::uint32_t> fast_numbers, slow_numbers;
  for (std::uint32_t d = 0; d < shape.dimensions.size(); ++d) {
    const bool slow = is_slow(shape.dimensions[d], shape.dimensions);
    (slow ? slow_numbers : fast_numbers).push_back(d);
    if (!slow) fast.push_back(shape.dimensions[d]);
  }
  std::vector<BucketOrder> orders = balanced_orders(fast);
  for (BucketOrder& order : orders) {
    for (std::uint32_t& d : order.dimensions) d = fast_numbers[d];
    order.dimensions.insert(order.dimensions.end(), slow_numbers.begin(), slow_numbers.end());
  }
  return orders;
}

std::vector<Chain> bucket_chains(const CollectiveTask& task, const GroupShape& shape, Schedule& schedule) {
  std::vector<Stage> chip;
  add_chip_stage(shape, schedule, chip);
  std::vector<std::uint32_t> teams;
  bool rings = false;
  for (const GroupShape::Dimension& d : shape.dimensions) {
    teams.push_back(schedule.add_teams(Teams::strided(d.stride, d.size)));
    rings = rings || (d.ring && d.size > 2);
  }
  std::vector<Chain> chains;
  for (const BucketOrder& order : bucket_orders(task, shape)) {
    for (const bool forward : {true, false}) {
      if (!rings && !forward) continue;  // both ways would be the same
      const double share = rings ? order.share / 2 : order.share;
      Chain chain{share, pipeline_slices(task, share), chip};
      for (const std::uint32_t d : order.dimensions)
        chain.stages.push_back({shape.dimensions[d].ring && shape.dimensions[d].size > 2
                                    ? Stage::Kind::kRing
                                    : Stage::Kind::kExchange,
                                teams[d], forward});
      chains.push_back(std::move(chain));
    }
  }
  return chains;
}

std::string bucket_refusal(const CollectiveTask&, const GroupShape& shape) {
  if (!shape.regular || shape.dimensions.empty())
    return "the group's chips are no box of the machine's dimensions";
  return {};
}

// At stage k the ranks of lane j exchange along axis (k + j + turn): together the lanes use all cables at
// once.
std::vector<Stage> rotated(const std::vector<std::uint32_t>& axes, const GroupShape& shape,
                           std::uint32_t turn, Schedule& schedule) {
  std::vector<Stage> stages;
  for (std::uint32_t k = 0; k < axes.size(); ++k) {
    std::vector<std::uint32_t> order;
    std::vector<char> seen(shape.ranks, 0);
    for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) {
      if (seen[rank] != 0) continue;
      const std::uint32_t lane = rank % shape.per_chip;
      const Teams& axis = schedule.teams[axes[(k + lane + turn) % axes.size()]];
      for (std::uint32_t place = 0; place < axis.size(); ++place) {
        order.push_back(axis.member(rank, place));
        seen[order.back()] = 1;
      }
    }
    const std::uint32_t size = schedule.teams[axes[0]].size();
    stages.push_back({Stage::Kind::kExchange, schedule.add_teams(Teams::ordered(std::move(order), size))});
  }
  return stages;
}

std::vector<Chain> rdh_chains(const CollectiveTask&, const GroupShape& shape, Schedule& schedule) {
  std::vector<std::uint32_t> axes;
  const auto add = [&](std::uint32_t stride, std::uint32_t size, bool ring) {
    const std::vector<std::uint32_t> more = factor_teams(stride, size, ring, shape.ranks, schedule);
    axes.insert(axes.end(), more.begin(), more.end());
  };
  if (!shape.regular)
    add(1, shape.ranks, false);
  else if (shape.dimensions.empty())
    add(shape.per_chip, shape.chips, false);
  else
    for (const GroupShape::Dimension& d : shape.dimensions) add(d.stride, d.size, d.ring);
  const bool alike = std::all_of(axes.begin(), axes.end(), [&](std::uint32_t t) {
    return schedule.teams[t].size() == schedule.teams[axes[0]].size();
  });
  std::vector<Stage> chip;
  add_chip_stage(shape, schedule, chip);
  const bool rotate = alike && axes.size() > 1 && shape.regular;
  const auto turns =
      rotate ? std::max<std::uint32_t>(1, static_cast<std::uint32_t>(axes.size()) / shape.per_chip) : 1;
  std::vector<Chain> chains;
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    Chain chain{1.0 / turns, 1, chip};
    if (rotate) {
      const std::vector<Stage> stages = rotated(axes, shape, turn, schedule);
      chain.stages.insert(chain.stages.end(), stages.begin(), stages.end());
    } else {
      for (const std::uint32_t t : axes) chain.stages.push_back({Stage::Kind::kExchange, t});
    }
    chains.push_back(std::move(chain));
  }
  return chains;
}

}  // namespace

std::vector<std::uint32_t> factor_teams(std::uint32_t stride, std::uint32_t size, bool ring,
                                        std::uint32_t ranks, Schedule& schedule) {
  std::vector<std::uint32_t> teams;
  const bool power = (size & (size - 1)) == 0;
  if (ring && power && size > 2) {
    // Gray code: neighbours on the ring differ in one bit.
    for (std::uint32_t bit = 1; bit < size; bit *= 2) {
      std::vector<std::uint32_t> order;
      const Teams places = Teams::strided(stride, size);
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::uint32_t gray = places.place(rank) ^ (places.place(rank) >> 1);
        if ((gray & bit) != 0) continue;
        std::uint32_t partner = gray | bit;
        for (std::uint32_t shift = 1; shift < size; shift *= 2)
          partner ^= partner >> shift;  // back to a place
        order.push_back(rank);
        order.push_back(places.member(rank, partner));
      }
      teams.push_back(schedule.add_teams(Teams::ordered(std::move(order), 2)));
    }
    return teams;
  }
  for (std::uint32_t prime = 2; size > 1; ++prime) {
    for (; size % prime == 0; size /= prime) {
      teams.push_back(schedule.add_teams(Teams::strided(stride, prime)));
      stride *= prime;
    }
  }
  return teams;
}

extern const Algorithm kMeshAlgorithm{
    "mesh", "every chip with every other directly: two steps to reduce, two to gather", suits_any,
    mesh_chains};
extern const Algorithm kRdhAlgorithm{
    "rdh", "recursive halving and doubling; groups that are no power of two by their prime factors",
    suits_any, rdh_chains};
extern const Algorithm kBucketAlgorithm{
    "bucket", "dimension after dimension, in several orders at once that load every link alike",
    bucket_refusal, bucket_chains};

}  // namespace trn
