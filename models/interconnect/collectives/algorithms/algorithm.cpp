#include "models/interconnect/collectives/algorithms/algorithm.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace trn {

extern const Algorithm kRingAlgorithm, kKangaRingAlgorithm, kMeshAlgorithm, kRdhAlgorithm, kBucketAlgorithm;

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> kAll{kMeshAlgorithm, kRdhAlgorithm, kRingAlgorithm, kKangaRingAlgorithm,
                                           kBucketAlgorithm};
  return kAll;
}

std::vector<std::string> staged_algorithm_names() {
  std::vector<std::string> names;
  for (const Algorithm& a : algorithms()) names.emplace_back(a.name);
  names.insert(names.end(), {"single_step", "pipeline"});
  return names;
}

bool is_rooted(CollectiveOp op) { return op == CollectiveOp::kBroadcast || op == CollectiveOp::kReduce; }

bool is_slow(const GroupShape::Dimension& dimension, const std::vector<GroupShape::Dimension>& all) {
  double fastest = 0;
  for (const GroupShape::Dimension& d : all) fastest = std::max(fastest, d.rate);
  return dimension.rate < fastest / 2;
}

namespace {

const std::vector<std::string> kBetweenDomains{"ring", "mesh", "rdh"};
const std::string kFlatRing = "ring+flat";
constexpr std::uint32_t kMostInFlatRing = 512;  // every rank's every step is simulated

const Algorithm* find(const std::string& name) {
  for (const Algorithm& algorithm : algorithms())
    if (name == algorithm.name) return &algorithm;
  return nullptr;
}

// "bucket+rdh" is bucket inside a domain and rdh between domains.
struct Parts {
  std::string inside, between;
};
Parts parts_of(const std::string& name) {
  const std::size_t plus = name.find('+');
  if (plus == std::string::npos) return {name, ""};
  return {name.substr(0, plus), name.substr(plus + 1)};
}

bool is_staged(CollectiveOp op) {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kAllGather ||
         op == CollectiveOp::kReduceScatter || op == CollectiveOp::kBroadcast || op == CollectiveOp::kReduce;
}

// The stages between domains come last: what is left of the data by then is small.
void add_domain_stages(const std::string& how, const GroupShape& shape, std::vector<Chain>& chains,
                       Schedule& schedule) {
  const std::uint32_t stride = shape.chips * shape.per_chip;
  std::vector<Stage> stages;
  if (how == "rdh") {
    for (const std::uint32_t t : factor_teams(stride, shape.domains, false, shape.ranks, schedule))
      stages.push_back({Stage::Kind::kExchange, t});
  } else {
    stages.push_back({how == "ring" ? Stage::Kind::kRing : Stage::Kind::kExchange,
                      schedule.add_teams(Teams::strided(stride, shape.domains))});
  }
  for (Chain& chain : chains) chain.stages.insert(chain.stages.end(), stages.begin(), stages.end());
}

// Where stages have so many steps that their latencies rule, fewer slices do. With a root every rank's moves
// are simulated.
void limit_moves(const GroupShape& shape, bool every_rank, const Schedule& schedule,
                 std::vector<Chain>& chains) {
  constexpr std::uint64_t kMoves = 60'000;
  for (Chain& chain : chains) {
    std::uint64_t steps = every_rank ? 1 : 0;
    for (const Stage& stage : chain.stages) steps += schedule.teams[stage.teams].size();
    const std::uint64_t moves = steps * chains.size() * (every_rank ? shape.ranks : shape.per_chip);
    chain.slices = std::clamp<std::uint64_t>(kMoves / moves, 1, chain.slices);
  }
}

std::vector<Chain> make_chains(const std::string& name, const CollectiveTask& task, const GroupShape& shape,
                               Schedule& schedule) {
  if (name == kFlatRing) {
    std::vector<Chain> chains = flat_ring_chains(task, shape, schedule);
    limit_moves(shape, true, schedule, chains);
    return chains;
  }
  const Parts parts = parts_of(name);
  std::vector<Chain> chains{{1, 1, {}}};
  if (shape.chips > 1 || !shape.regular)
    chains = find(parts.inside)->chains(task, shape, schedule);
  else
    add_chip_stage(shape, schedule, chains[0].stages);
  if (shape.domains > 1) {
    add_domain_stages(parts.between, shape, chains, schedule);
    // Slices let a domain's stages work on one while EFA carries another.
    for (Chain& chain : chains) chain.slices = std::max(chain.slices, pipeline_slices(task, chain.share));
  }
  limit_moves(shape, is_rooted(task.op), schedule, chains);
  return chains;
}

// Whether a rank differs from the root in its domain or along a slow dimension: it gets copies of what the
// ranks like it on the root's side have.
bool across(std::uint32_t rank, std::uint32_t root, const GroupShape& shape) {
  const std::uint32_t domain = shape.chips * shape.per_chip;
  if (shape.domains > 1 && rank / domain != root / domain) return true;
  return std::any_of(shape.dimensions.begin(), shape.dimensions.end(), [&](const GroupShape::Dimension& d) {
    return is_slow(d, shape.dimensions) && rank / d.stride % d.size != root / d.stride % d.size;
  });
}

// The root's own block is empty, so that it sends or gets every byte once; and so are those of ranks across,
// so that what is spread crosses once, from everyone.
BlockLayout rooted_layout(const CollectiveTask& task, const GroupShape& shape) {
  std::vector<std::uint32_t> owners;
  for (std::uint32_t r = 0; r < shape.ranks; ++r)
    if (r != task.root && !across(r, task.root, shape)) owners.push_back(r);
  if (owners.empty())
    for (std::uint32_t r = 0; r < shape.ranks; ++r)
      if (r != task.root) owners.push_back(r);
  const BlockLayout even =
      BlockLayout::uniform(task.bytes, static_cast<std::uint32_t>(owners.size()), task.granule);
  std::vector<std::uint64_t> sizes(shape.ranks, 0);
  for (std::uint32_t b = 0; b < owners.size(); ++b) sizes[owners[b]] = even.source(0, b, {}).length;
  return BlockLayout::sized(sizes, task.granule);
}

Schedule staged(const std::string& name, const CollectiveTask& task, const GroupShape& shape) {
  Schedule schedule;
  schedule.ranks = shape.ranks;
  const bool rooted = is_rooted(task.op);
  if (rooted)
    schedule.layout = rooted_layout(task, shape);
  else if (task.sizes.empty())
    schedule.layout = BlockLayout::uniform(task.bytes, shape.ranks, task.granule);
  else
    schedule.layout = BlockLayout::sized(task.sizes, task.granule);
  const std::vector<Chain> chains = make_chains(name, task, shape, schedule);
  if (rooted)
    unroll_rooted(chains, task.op == CollectiveOp::kBroadcast ? Rooted::kBroadcast : Rooted::kReduce,
                  task.root, schedule);
  else
    unroll(chains,
           task.op == CollectiveOp::kAllReduce       ? Phases::kAllReduce
           : task.op == CollectiveOp::kReduceScatter ? Phases::kReduceScatter
                                                     : Phases::kAllGather,
           schedule);
  return schedule;
}

Schedule dispatch(const std::string& name, const CollectiveTask& task, const GroupShape& shape) {
  if (name == "single_step") return single_step_all_reduce(task, shape);
  if (name == "pipeline")
    return task.op == CollectiveOp::kBroadcast ? pipelined_broadcast(task, shape)
                                               : pipelined_reduce(task, shape);
  switch (task.op) {
    case CollectiveOp::kAllToAll:
      return direct_all_to_all(task, shape);
    case CollectiveOp::kGather:
      return direct_gather(task, shape);
    case CollectiveOp::kScatter:
      return direct_scatter(task, shape);
    case CollectiveOp::kPermute:
      return direct_permute(task, shape);
    case CollectiveOp::kSendReceive:
      return direct_send(task, shape);
    case CollectiveOp::kBarrier:
      return dissemination_barrier(shape);
    default:
      return staged(name, task, shape);
  }
}

}  // namespace

std::vector<std::string> algorithm_names(const CollectiveTask& task, const GroupShape& shape) {
  if (!is_staged(task.op)) return {task.op == CollectiveOp::kBarrier ? "dissemination" : "direct"};
  std::vector<std::string> names;
  for (const Algorithm& a : algorithms()) {
    if (shape.domains == 1)
      names.emplace_back(a.name);
    else
      for (const std::string& between : kBetweenDomains) names.push_back(a.name + ('+' + between));
  }
  if (shape.domains > 1 && !is_rooted(task.op)) names.push_back(kFlatRing);
  if (task.op == CollectiveOp::kAllReduce && shape.domains == 1) names.emplace_back("single_step");
  if (is_rooted(task.op) && shape.domains == 1) names.emplace_back("pipeline");
  return names;
}

std::string algorithm_refusal(const std::string& name, const CollectiveTask& task, const GroupShape& shape) {
  const std::vector<std::string> names = algorithm_names(task, shape);
  if (std::find(names.begin(), names.end(), name) == names.end())
    return "algorithm \"" + name + "\" is not one for this operation and group" + suggestion(name, names);
  if (name == kFlatRing && shape.ranks > kMostInFlatRing)
    return "algorithm " + name + ": more than " + std::to_string(kMostInFlatRing) + " ranks";
  const Algorithm* const inside = find(parts_of(name).inside);
  const std::string why = inside == nullptr ? "" : inside->refusal(task, shape);
  return why.empty() ? "" : "algorithm " + name + ": " + why;
}

Schedule make_schedule(const std::string& name, const CollectiveTask& task, const GroupShape& shape) {
  const std::string why = algorithm_refusal(name, task, shape);
  if (!why.empty()) throw UsageError(why);
  TRN_CHECK(shape.ranks > 1, "a collective of one rank");
  Schedule schedule = dispatch(name, task, shape);
  number_patterns(schedule);
  return schedule;
}

}  // namespace trn
