// Any graph: chips on a circle, switches inside in the order of the chips they join, and in the middle those
// that join switches only. A line a pair of vertices, thin where its rate is less than half of the greatest.
#include <algorithm>
#include <cmath>
#include <map>

#include "sim/report/topology_drawing.h"

namespace trn {
namespace {

constexpr double kPi = 3.14159265358979323846;

Point at_angle(double radius, double angle) { return {radius * std::cos(angle), radius * std::sin(angle)}; }

class CircleDrawing {
 public:
  CircleDrawing(SvgCanvas& canvas, const Topology& topology)
      : canvas_(canvas),
        topology_(topology),
        radius_(std::max(140.0, 34.0 * static_cast<double>(topology.chips()) / (2 * kPi))),
        places_(topology.vertices()) {
    for (std::uint64_t chip = 0; chip < topology.chips(); ++chip)
      places_[chip] = at_angle(
          radius_, 2 * kPi * static_cast<double>(chip) / static_cast<double>(topology.chips()) - kPi / 2);
    place_switches();
  }

  void run() {
    lines();
    for (std::uint64_t v = 0; v < topology_.vertices(); ++v) {
      const Point at = places_[v];
      const bool chip = v < topology_.chips();
      if (chip)
        canvas_.circle(at, 14, "chip");
      else
        canvas_.box({at.x - 34, at.y - 11}, 68, 22, "switch");
      canvas_.text({at.x, at.y + 4}, "middle", chip ? std::to_string(v) : topology_.vertex_name(v));
    }
    draw_legend(canvas_, topology_, {radius_ + 50, -radius_});
  }

 private:
  // Evenly around, so that none hides another; the first stands where its chips are.
  void spread(std::vector<std::pair<double, std::uint64_t>> switches, double radius) {
    std::sort(switches.begin(), switches.end());
    for (std::size_t i = 0; i < switches.size(); ++i)
      places_[switches[i].second] =
          switches.size() == 1
              ? Point{0, 0}
              : at_angle(radius, switches[0].first +
                                     2 * kPi * static_cast<double>(i) / static_cast<double>(switches.size()));
  }

  void place_switches() {
    std::vector<std::pair<double, std::uint64_t>> outer, inner;
    for (std::uint64_t v = topology_.chips(); v < topology_.vertices(); ++v) {
      Point sum{0, 0};
      bool joins_chips = false;
      for (const std::uint32_t l : topology_.outgoing(v)) {
        if (topology_.links()[l].to >= topology_.chips()) continue;
        joins_chips = true;
        sum = {sum.x + places_[topology_.links()[l].to].x, sum.y + places_[topology_.links()[l].to].y};
      }
      // Clockwise from the top, as the chips are numbered.
      const double angle = std::atan2(sum.y, sum.x);
      (joins_chips ? outer : inner).emplace_back(angle < -kPi / 2 ? angle + 2 * kPi : angle, v);
    }
    spread(std::move(outer), radius_ * 0.65);
    spread(std::move(inner), radius_ * 0.25);
  }

  void lines() {
    struct Pair {
      double rate = 0;
      bool slow = false;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Pair> pairs;
    double most = 0;
    for (const Link& link : topology_.links()) {
      Pair& pair = pairs[std::minmax(link.from, link.to)];
      const LinkClass& c = topology_.classes()[link.link_class];
      pair.rate = std::max(pair.rate, c.rate);
      pair.slow = pair.slow || is_slow(c);
      most = std::max(most, c.rate);
    }
    for (const auto& [ends, pair] : pairs)
      canvas_.line(places_[ends.first], places_[ends.second],
                   pair.slow              ? "slow"
                   : pair.rate * 2 < most ? "thin"
                                          : "cable");
  }

  SvgCanvas& canvas_;
  const Topology& topology_;
  double radius_;
  std::vector<Point> places_;
};

}  // namespace

void draw_circle(SvgCanvas& canvas, const Topology& topology) { CircleDrawing(canvas, topology).run(); }

}  // namespace trn
