// Racks of trays of chips: a switch a tray, a switch plane (or several) a rack, and a cable from every chip
// to its twin in the other rack.
#include "models/interconnect/topology/mixed_radix.h"
#include "models/interconnect/topology/shapes/shapes.h"

namespace trn {
namespace {

class SwitchedBuilder {
 public:
  explicit SwitchedBuilder(const FabricConfig& config) : config_(config), wiring_(config.chips()) {}

  Wiring run() {
    cross_rack();
    // A plane is several switches in reality, and so may be a tray's: every chip has the same number of
    // cables to each of them and spreads its bytes evenly, so one switch with the sum of the cables carries
    // exactly the same; only a chip's own port can fill up.
    dimension("rack", config_.trays_per_rack, config_.rack_rate, config_.racks * config_.planes,
              [this](const std::vector<std::uint64_t>& at) {
                return at[0] * config_.planes + at[2] * config_.planes / config_.chips_per_tray;
              });
    dimension(
        "tray", config_.chips_per_tray, config_.tray_rate, config_.racks * config_.trays_per_rack,
        [this](const std::vector<std::uint64_t>& at) { return at[0] * config_.trays_per_rack + at[1]; });
    return std::move(wiring_);
  }

 private:
  std::vector<std::uint64_t> sizes() const {
    return {config_.racks, config_.trays_per_rack, config_.chips_per_tray};
  }

  void cross_rack() {
    if (config_.racks == 1) return;
    const double rate = effective_rate(config_.cross_rack_rate, config_);
    const std::uint32_t c = wiring_.add_class("cross cable", rate, config_.hop_latency);
    wiring_.dimensions.push_back({"cross", DimensionKind::kCable, config_.racks, c, rate});
    const std::uint64_t half = wiring_.chips / 2;
    for (std::uint64_t chip = 0; chip < wiring_.chips; ++chip)
      wiring_.add_link(chip, (chip + half) % wiring_.chips, c);
  }

  template <class SwitchOf>
  void dimension(const std::string& name, std::uint64_t size, MegabytesPerSecond raw, std::uint64_t switches,
                 const SwitchOf& switch_of) {
    if (size == 1) return;
    const double rate = effective_rate(raw, config_);
    const std::uint32_t up = wiring_.add_class(name + " up", rate, config_.hop_latency);
    const std::uint32_t down = wiring_.add_class(name + " down", rate, config_.hop_latency);
    wiring_.dimensions.push_back({name, DimensionKind::kSwitch, size, up, rate});
    const std::uint64_t first = wiring_.names.size();
    const std::uint64_t in_rack = switches / config_.racks;
    for (std::uint64_t s = 0; s < switches; ++s)
      wiring_.add_switch("rack " + std::to_string(s / in_rack) + (name == "rack" ? " plane " : " tray ") +
                         std::to_string(s % in_rack));
    for (const std::uint32_t c : {up, down}) {
      for (std::uint64_t chip = 0; chip < wiring_.chips; ++chip) {
        const std::uint64_t at = first + switch_of(coordinates_of(chip, sizes()));
        wiring_.add_link(c == up ? chip : at, c == up ? at : chip, c);
      }
    }
  }

  const FabricConfig& config_;
  Wiring wiring_;
};

}  // namespace

Wiring wire_switched(const FabricConfig& config) { return SwitchedBuilder(config).run(); }

}  // namespace trn
