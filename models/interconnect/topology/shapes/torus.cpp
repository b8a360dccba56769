// Tori: rings along up to three axes, some of them open or twisted.
#include "models/interconnect/topology/mixed_radix.h"
#include "models/interconnect/topology/shapes/shapes.h"

namespace trn {
namespace {

constexpr const char* kAxes[] = {"x", "y", "z"};

class TorusBuilder {
 public:
  explicit TorusBuilder(const FabricConfig& config) : config_(config), wiring_(config.chips()) {}

  Wiring run() {
    for (std::size_t d = 0; d < config_.dims.size(); ++d)
      if (config_.dims[d] > 1) add(d);
    // Going round a twisted dimension does not come back to where it began: no product of rings. The
    // translations are still symmetries, so the chips stay alike.
    if (config_.twist) wiring_.dimensions.clear();
    return std::move(wiring_);
  }

 private:
  void add(std::size_t d) {
    const bool closed = config_.closed.empty() || config_.closed[d];
    const std::uint64_t size = config_.dims[d];
    const std::string axis = kAxes[d];
    const double rate = effective_rate(config_.link_rates[d], config_);
    const auto first = static_cast<std::uint32_t>(wiring_.classes.size());
    if (!closed && size == 2) {  // each chip has the one other: both ends are alike
      wiring_.dimensions.push_back({axis, DimensionKind::kCable, size, first, rate});
      wiring_.add_class(axis + " cable", rate, config_.hop_latency);
      for (std::uint64_t chip = 0; chip < wiring_.chips; ++chip)
        link(chip, d, coordinate(chip, d) == 0, first);
      return;
    }
    // A ring of two has two cables to the same chip, so its chips have two links as well.
    wiring_.dimensions.push_back(
        {axis, closed ? DimensionKind::kRing : DimensionKind::kLine, size, first, 2 * rate});
    if (!closed) wiring_.chips_alike = false;
    for (const bool forward : {true, false}) {
      const std::uint32_t c = wiring_.add_class((forward ? '+' : '-') + axis, rate, config_.hop_latency);
      for (std::uint64_t chip = 0; chip < wiring_.chips; ++chip)
        if (closed || coordinate(chip, d) != (forward ? size - 1 : 0)) link(chip, d, forward, c);
    }
  }

  std::uint64_t coordinate(std::uint64_t chip, std::size_t d) const {
    return coordinates_of(chip, config_.dims)[d];
  }

  void link(std::uint64_t chip, std::size_t d, bool forward, std::uint32_t link_class) {
    std::vector<std::uint64_t> at = coordinates_of(chip, config_.dims);
    const std::uint64_t size = config_.dims[d];
    const bool wraps = at[d] == (forward ? size - 1 : 0);
    at[d] = (at[d] + (forward ? 1 : size - 1)) % size;
    if (wraps && config_.twist && config_.twist->along == d) {
      const std::size_t other = config_.twist->shifts;
      const std::uint64_t length = config_.dims[other];
      at[other] = (at[other] + (forward ? config_.twist->by : length - config_.twist->by)) % length;
    }
    wiring_.add_link(chip, number_of(at, config_.dims), link_class);
  }

  const FabricConfig& config_;
  Wiring wiring_;
};

}  // namespace

Wiring wire_torus(const FabricConfig& config) { return TorusBuilder(config).run(); }

}  // namespace trn
