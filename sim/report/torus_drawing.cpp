// Tori: a link to the chip beside is a line; one that goes round, or to another panel, a stub with the number
// of the chip at its other end.
#include <algorithm>
#include <cmath>
#include <set>

#include "models/interconnect/topology/mixed_radix.h"
#include "sim/report/topology_drawing.h"

namespace trn {
namespace {

constexpr double kPitch = 62, kChip = 30, kStub = 17, kPanelGap = 60;
constexpr std::uint64_t kPanelsInRow = 4;

class TorusDrawing {
 public:
  TorusDrawing(SvgCanvas& canvas, const Topology& topology, const FabricConfig& config)
      : canvas_(canvas), topology_(topology), sizes_(config.dims) {
    // A ring or a plane of one row lies flat.
    while (sizes_.size() < 2) sizes_.insert(sizes_.begin(), 1);
    if (sizes_.size() < 3) sizes_.push_back(1);
  }

  void run() {
    for (const Link& l : topology_.links()) link(l);
    for (std::uint64_t chip = 0; chip < topology_.chips(); ++chip) {
      const Point at = place(chip);
      canvas_.box({at.x - kChip / 2, at.y - kChip / 2}, kChip, kChip, "chip");
      canvas_.text({at.x, at.y + 4}, "middle", std::to_string(chip));
    }
    for (std::uint64_t panel = 0; sizes_[2] > 1 && panel < sizes_[2]; ++panel) {
      const Point corner = place(panel);
      canvas_.text({corner.x - kChip / 2, corner.y - kChip / 2 - kStub - 8}, "start",
                   "z = " + std::to_string(panel), "note");
    }
  }

 private:
  Point place(std::uint64_t chip) const {
    const std::vector<std::uint64_t> at = coordinates_of(chip, sizes_);
    const double wide = static_cast<double>(sizes_[1]) * kPitch + kPanelGap;
    const double high = static_cast<double>(sizes_[0]) * kPitch + kPanelGap;
    const std::uint64_t panel_row = at[2] / kPanelsInRow;
    return {static_cast<double>(at[2] % kPanelsInRow) * wide + static_cast<double>(at[1]) * kPitch,
            static_cast<double>(panel_row) * high + static_cast<double>(at[0]) * kPitch};
  }

  void link(const Link& link) {
    const LinkClass& c = topology_.classes()[link.link_class];
    const char* kind = is_slow(c) ? "slow" : "cable";
    const Point a = place(link.from), b = place(link.to);
    const bool same_panel = link.from % sizes_[2] == link.to % sizes_[2];
    const bool beside = same_panel && std::abs(std::abs(a.x - b.x) + std::abs(a.y - b.y) - kPitch) < 1;
    const bool first = drawn_.insert(std::minmax(link.from, link.to)).second;
    if (beside && (first || is_slow(c)))
      canvas_.line(a, b, kind);
    else if (!beside)
      stub(a, c, link.to, kind);
  }

  // Down and right for steps forward, up and left for steps back; the third dimension slants.
  void stub(Point from, const LinkClass& c, std::uint64_t to, const char* kind) {
    const std::size_t axis = c.name.find_first_of("xyz");
    const bool flat = sizes_[0] == 1;
    const char name = flat ? 'y' : c.name[axis];
    const double sign = c.name[0] == '-' || (c.name[0] != '+' && to % sizes_[2] == 0) ? -1 : 1;
    Point way{0, sign};
    if (name == 'y') way = {sign, 0};
    if (name == 'z') way = {0.7 * sign, -0.7 * sign};
    const double reach = kChip / 2 + kStub * (name == 'z' ? 0.75 : 0.6);
    const Point end{from.x + way.x * reach, from.y + way.y * reach};
    canvas_.line(from, end, name == 'z' && std::string(kind) == "cable" ? "thin" : kind);
    canvas_.text({end.x + way.x * 6, end.y + way.y * 6 + 3}, "middle", std::to_string(to), "stub-label");
  }

  SvgCanvas& canvas_;
  const Topology& topology_;
  std::vector<std::uint64_t> sizes_;  // rows, columns, panels
  std::set<std::pair<std::uint32_t, std::uint32_t>> drawn_;
};

}  // namespace

void draw_torus(SvgCanvas& canvas, const Topology& topology, const FabricConfig& config) {
  TorusDrawing(canvas, topology, config).run();
}

}  // namespace trn
