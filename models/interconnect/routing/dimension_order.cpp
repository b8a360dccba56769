#include "models/interconnect/routing/dimension_order.h"

#include <algorithm>

namespace trn {
namespace {

class Walk {
 public:
  explicit Walk(const Topology& topology) : topology_(topology) {}

  void take(std::uint32_t link_class, std::uint64_t chip, double share) {
    route_.loads.push_back({topology_.link(link_class, chip), share});
  }

  // `steps` along a ring or line from `chip`, towards `direction`.
  void along(std::size_t d, std::uint64_t chip, std::int64_t direction, std::uint64_t steps, double share) {
    const std::uint32_t c = topology_.dimensions()[d].first_class + (direction > 0 ? 0 : 1);
    for (std::uint64_t s = 0; s < steps && share > 0; ++s) {
      take(c, chip, share);
      chip = topology_.neighbour(chip, d, direction);
    }
  }

  void passed(std::uint32_t link_class, std::uint64_t hops) {
    route_.hops += static_cast<std::uint32_t>(hops);
    route_.latency += topology_.classes()[link_class].latency * hops;
  }

  Route route() {
    std::sort(route_.loads.begin(), route_.loads.end(),
              [](const LinkLoad& a, const LinkLoad& b) { return a.link < b.link; });
    return std::move(route_);
  }

 private:
  const Topology& topology_;
  Route route_;
};

}  // namespace

Route dimension_order_route(const Topology& topology, std::uint64_t from, std::uint64_t to) {
  const std::vector<std::uint64_t> target = topology.coordinates(to);
  Walk walk(topology);
  std::uint64_t at = from;
  for (std::size_t d = topology.dimensions().size(); d-- > 0;) {
    const Dimension& dimension = topology.dimensions()[d];
    const std::uint64_t here = topology.coordinates(at)[d];
    if (here == target[d]) continue;
    const std::uint64_t ahead = (target[d] + dimension.size - here) % dimension.size;
    const std::uint64_t next = topology.neighbour(at, d, static_cast<std::int64_t>(ahead));
    switch (dimension.kind) {
      case DimensionKind::kRing: {
        const std::uint64_t back = dimension.size - ahead;
        const double forward = ahead < back ? 1 : ahead == back ? 0.5 : 0;
        walk.along(d, at, 1, ahead, forward);
        walk.along(d, at, -1, back, 1 - forward);
        walk.passed(dimension.first_class, std::min(ahead, back));
        break;
      }
      case DimensionKind::kLine: {
        const bool forward = target[d] > here;
        const std::uint64_t steps = forward ? target[d] - here : here - target[d];
        walk.along(d, at, forward ? 1 : -1, steps, 1);
        walk.passed(dimension.first_class, steps);
        break;
      }
      case DimensionKind::kSwitch:
        walk.take(dimension.first_class, at, 1);
        walk.take(dimension.first_class + 1, next, 1);
        walk.passed(dimension.first_class, 1);
        walk.passed(dimension.first_class + 1, 1);
        break;
      case DimensionKind::kCable:
        walk.take(dimension.first_class, at, 1);
        walk.passed(dimension.first_class, 1);
        break;
    }
    at = next;
  }
  return walk.route();
}

}  // namespace trn
