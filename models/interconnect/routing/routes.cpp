#include "models/interconnect/routing/routes.h"

#include <algorithm>

#include "models/interconnect/routing/dimension_order.h"
#include "models/interconnect/routing/minimal_paths.h"

namespace trn {
namespace {

// Of paths kept: a few hundred MB at most.
constexpr std::size_t kKeptCells = 8 << 20;

// Two ways used side by side, with `share` of the bytes on the first.
Route beside(const Route& first, const Route& second, double share) {
  if (share == 1 || share == 0) return share == 1 ? first : second;
  std::map<std::uint32_t, double> loads;
  for (const LinkLoad& load : first.loads) loads[load.link] += share * load.share;
  for (const LinkLoad& load : second.loads) loads[load.link] += (1 - share) * load.share;
  Route out;
  for (const auto& [link, part] : loads) out.loads.push_back({link, part});
  out.latency = std::max(first.latency, second.latency);
  out.hops = std::max(first.hops, second.hops);
  return out;
}

}  // namespace

Routes::Routes(const Topology& topology) : topology_(topology) {}
Routes::~Routes() = default;

const Route& Routes::between(std::uint64_t from, std::uint64_t to) const {
  const std::uint64_t key = from * topology_.chips() + to;
  const auto found = routes_.find(key);
  if (found != routes_.end()) return found->second;
  return routes_.emplace(key, from == to ? Route{} : find(from, to)).first->second;
}

// Addresses are (rack, server, chip): who shares a tray meets at the tray's switch, even where a rack's plane
// joins them in as many hops.
bool Routes::in_one_dimension(std::uint64_t from, std::uint64_t to) const {
  if (topology_.dimensions().empty()) return false;
  const std::vector<std::uint64_t> a = topology_.coordinates(from), b = topology_.coordinates(to);
  std::size_t differ = 0;
  for (std::size_t d = 0; d < a.size(); ++d) differ += a[d] != b[d] ? 1 : 0;
  return differ == 1;
}

Route Routes::find(std::uint64_t from, std::uint64_t to) const {
  if (in_one_dimension(from, to)) return dimension_order_route(topology_, from, to);
  switch (topology_.routing()) {
    case Routing::kDimensionOrder:
      return dimension_order_route(topology_, from, to);
    case Routing::kTwinFirst:
      return over_twin(from, to, 1);
    case Routing::kTwinLast:
      return over_twin(from, to, 0);
    case Routing::kSplit:
      return over_twin(from, to, 0.5);
    case Routing::kBalanced:
      break;
  }
  return balanced(from, to);
}

Route Routes::balanced(std::uint64_t from, std::uint64_t to) const {
  if (paths_.size() * topology_.vertices() > kKeptCells) paths_.clear();
  std::unique_ptr<MinimalPaths>& paths = paths_[to];
  if (!paths) paths = std::make_unique<MinimalPaths>(minimal_paths_to(topology_, to));
  return balanced_route(topology_, *paths, from);
}

// Inside a rack no minimal path leaves it: the other rack is no nearer on the other side. To the other rack
// one cable is taken, the sender's or the receiver's.
Route Routes::over_twin(std::uint64_t from, std::uint64_t to, double first_share) const {
  const Dimension& cross = topology_.dimensions().front();
  const std::uint64_t half = topology_.chips() / 2;
  if ((from < half) == (to < half)) return balanced(from, to);
  const auto with_cable = [&](Route inside, std::uint64_t chip) {
    inside.loads.push_back({topology_.link(cross.first_class, chip), 1});
    std::sort(inside.loads.begin(), inside.loads.end(),
              [](const LinkLoad& a, const LinkLoad& b) { return a.link < b.link; });
    inside.latency += topology_.classes()[cross.first_class].latency;
    ++inside.hops;
    return inside;
  };
  const std::uint64_t from_twin = topology_.neighbour(from, 0, 1);
  const std::uint64_t to_twin = topology_.neighbour(to, 0, 1);
  if (from_twin == to) return with_cable({}, from);
  return beside(with_cable(balanced(from_twin, to), from), with_cable(balanced(from, to_twin), to_twin),
                first_share);
}

}  // namespace trn
