#include "sim/report/svg_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trn {
namespace {

constexpr double kMargin = 24, kTitle = 34;

// Blues, greens and reds that differ in lightness too. No variables: many viewers of SVG know none.
constexpr const char* kStyle = R"(<style>
.page { fill: #ffffff; } text { fill: #1c2733; font-family: sans-serif; font-size: 11px; }
.title { font-size: 15px; } .note { fill: #5b6b7b; } .stub-label { fill: #5b6b7b; font-size: 8px; }
.chip { fill: #dbe9f6; stroke: #1c2733; } .switch { fill: #fbe3c0; stroke: #1c2733; }
.plane { fill: #d9efdc; stroke: #5b6b7b; } .frame { fill: none; stroke: #5b6b7b; }
.cable { fill: none; stroke: #2f6fab; stroke-width: 2; } .thin { fill: none; stroke: #2f6fab; stroke-width: 1; }
.slow { fill: none; stroke: #c0392b; stroke-width: 2; stroke-dasharray: 4 2; }
@media (prefers-color-scheme: dark) {
.page { fill: #14181d; } text { fill: #e6ebf0; } .note, .stub-label { fill: #9aa8b5; }
.chip { fill: #23405c; stroke: #e6ebf0; } .switch { fill: #5b431b; stroke: #e6ebf0; }
.plane { fill: #234a2b; stroke: #9aa8b5; } .frame { stroke: #9aa8b5; }
.cable, .thin { stroke: #7fb4e6; } .slow { stroke: #ff8573; }
}
</style>
)";

}  // namespace

std::string svg_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 32)
      out += c;
  }
  return out;
}

void SvgCanvas::reach(Point p) {
  low_ = {std::min(low_.x, p.x), std::min(low_.y, p.y)};
  high_ = {std::max(high_.x, p.x), std::max(high_.y, p.y)};
}

void SvgCanvas::line(Point a, Point b, const char* kind) {
  reach(a);
  reach(b);
  body_ += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind,
                       a.x, a.y, b.x, b.y);
}

void SvgCanvas::box(Point corner, double width, double height, const char* kind) {
  reach(corner);
  reach({corner.x + width, corner.y + height});
  body_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\"/>\n", kind,
      corner.x, corner.y, width, height);
}

void SvgCanvas::circle(Point centre, double radius, const char* kind) {
  reach({centre.x - radius, centre.y - radius});
  reach({centre.x + radius, centre.y + radius});
  body_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>\n", kind, centre.x,
                       centre.y, radius);
}

void SvgCanvas::text(Point at, const char* anchor, const std::string& text, const char* kind) {
  const double width = 5.8 * static_cast<double>(text.size());
  const std::string side = anchor;
  const double left = at.x - (side == "middle" ? width / 2 : side == "end" ? width : 0);
  reach({left, at.y - 10});
  reach({left + width, at.y + 4});
  body_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", kind,
                       at.x, at.y, anchor, svg_escaped(text));
}

std::string SvgCanvas::finish(const std::string& title) const {
  const double x = low_.x - kMargin, y = low_.y - kMargin - kTitle;
  const double wide = std::max(high_.x - low_.x, 7.8 * static_cast<double>(title.size())) + 2 * kMargin;
  const double high = high_.y + kMargin - y;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{2:.0f}\" height=\"{3:.0f}\" viewBox=\"{0:.1f} "
      "{1:.1f} {2:.1f} "
      "{3:.1f}\">\n",
      x, y, wide, high);
  out += kStyle;
  out += fmt::format(
      "<rect class=\"page\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n"
      "<text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
      x, y, wide, high, x + kMargin, y + kMargin, svg_escaped(title));
  return out + body_ + "</svg>\n";
}

}  // namespace trn
