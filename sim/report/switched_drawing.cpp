// Racks of trays: a row a tray, its chips over columns that are the planes, its switch at the end; between
// two racks one line stands for every chip's cable. Broken and slow links are listed below.
#include <fmt/format.h>

#include "sim/report/topology_drawing.h"

namespace trn {
namespace {

constexpr double kPitch = 46, kChip = 34, kRow = 40, kGap = 110;

class SwitchedDrawing {
 public:
  SwitchedDrawing(SvgCanvas& canvas, const Topology& topology, const FabricConfig& config)
      : canvas_(canvas), topology_(topology), config_(config) {}

  void run() {
    for (std::uint64_t rack = 0; rack < config_.racks; ++rack) draw_rack(rack);
    if (config_.racks == 2) {
      const double y = static_cast<double>(config_.trays_per_rack) * kRow / 2;
      canvas_.line({width(), y}, {width() + kGap, y}, "cable");
      canvas_.text({width() + kGap / 2, y - 6}, "middle", fmt::format("{} cables", topology_.chips() / 2),
                   "note");
      canvas_.text({width() + kGap / 2, y + 16}, "middle", "each of", "note");
      canvas_.text({width() + kGap / 2, y + 30}, "middle", rate_text(topology_.classes()[0].rate), "note");
    }
    faults();
  }

 private:
  double width() const { return static_cast<double>(config_.chips_per_tray + 1) * kPitch + 30; }
  double left(std::uint64_t rack) const { return static_cast<double>(rack) * (width() + kGap); }
  bool has_trays() const { return config_.chips_per_tray > 1; }

  void draw_rack(std::uint64_t rack) {
    const double height = static_cast<double>(config_.trays_per_rack) * kRow;
    canvas_.box({left(rack), -8}, width(), height + 58, "frame");
    const std::uint64_t positions = config_.chips_per_tray / config_.planes;
    const double per_plane = static_cast<double>(positions);
    for (std::uint64_t plane = 0; plane < config_.planes && config_.trays_per_rack > 1; ++plane) {
      const double x = left(rack) + 10 + static_cast<double>(plane) * per_plane * kPitch;
      canvas_.box({x, 0}, per_plane * kPitch - 6, height + 40, "plane");
      canvas_.text({x + (per_plane * kPitch - 6) / 2, height + 30}, "middle",
                   config_.planes == 1 ? "rack switch" : fmt::format("plane {}", plane));
    }
    for (std::uint64_t tray = 0; tray < config_.trays_per_rack; ++tray) draw_tray(rack, tray);
  }

  void draw_tray(std::uint64_t rack, std::uint64_t tray) {
    const double y = static_cast<double>(tray) * kRow + 6;
    const double end = left(rack) + 10 + static_cast<double>(config_.chips_per_tray) * kPitch;
    if (has_trays()) canvas_.line({left(rack) + 20, y + 14}, {end + 4, y + 14}, "thin");
    for (std::uint64_t position = 0; position < config_.chips_per_tray; ++position) {
      const std::uint64_t chip = (rack * config_.trays_per_rack + tray) * config_.chips_per_tray + position;
      const double x = left(rack) + 13 + static_cast<double>(position) * kPitch;
      canvas_.box({x, y}, kChip, 28, "chip");
      canvas_.text({x + kChip / 2, y + 18}, "middle", std::to_string(chip));
    }
    if (!has_trays()) return;
    canvas_.box({end + 4, y}, 48, 28, "switch");
    canvas_.text({end + 28, y + 18}, "middle", fmt::format("tray {}", tray));
  }

  void faults() {
    double y = static_cast<double>(config_.trays_per_rack) * kRow + 76;
    for (const LinkFault& fault : config_.faults) {
      canvas_.text({0, y}, "start",
                   fault.link + (fault.percent == 0 ? " is broken" : fmt::format(" at {} %", fault.percent)),
                   "note");
      y += 16;
    }
  }

  SvgCanvas& canvas_;
  const Topology& topology_;
  const FabricConfig& config_;
};

}  // namespace

void draw_switched(SvgCanvas& canvas, const Topology& topology, const FabricConfig& config) {
  SwitchedDrawing(canvas, topology, config).run();
}

}  // namespace trn
