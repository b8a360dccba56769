#include "sim/report/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "sim/report/svg_canvas.h"

namespace trn {
namespace {

constexpr double kWidth = 760, kHeight = 460;
constexpr double kLeft = 70, kRight = 590, kTop = 50, kBottom = 400;  // of the plot; the legend is beside it
// Told apart by people who do not see red and green as two.
constexpr std::array<const char*, 6> kColours{"#0072b2", "#d55e00", "#009e73",
                                              "#cc79a7", "#56b4e9", "#000000"};

// 32, 1 Ki, 2 Mi
std::string binary_number(double x) {
  static constexpr std::array<const char*, 5> kPrefixes{"", " Ki", " Mi", " Gi", " Ti"};
  std::size_t prefix = 0;
  for (; x >= 1024 && prefix + 1 < kPrefixes.size(); ++prefix) x /= 1024;
  return fmt::format("{:g}{}", x, kPrefixes[prefix]);
}

// 1, 2 or 5 times a power of ten, so that about five of them reach `most`.
double tick_step(double most) {
  const double decade = std::pow(10, std::floor(std::log10(most / 5)));
  for (const double step : {1.0, 2.0, 5.0})
    if (most / (step * decade) <= 6) return step * decade;
  return 10 * decade;
}

class Drawing {
 public:
  explicit Drawing(const LineChart& chart) : chart_(chart) {
    bool any = false;
    for (const ChartSeries& series : chart.series)
      for (const auto& [x, y] : series.points) {
        TRN_CHECK(x > 0 && std::isfinite(x) && std::isfinite(y), "a chart's point lies off its axes");
        low_ = any ? std::min(low_, std::log2(x)) : std::log2(x);
        high_ = any ? std::max(high_, std::log2(x)) : std::log2(x);
        most_ = std::max(most_, y);
        any = true;
      }
    TRN_CHECK(any, "a chart without points");
    low_ = std::floor(low_);
    high_ = std::max(std::ceil(high_), low_ + 1);
    if (most_ <= 0) most_ = 1;
    step_ = tick_step(most_);
    most_ = std::ceil(most_ / step_ * (1 - 1e-9)) * step_;
  }

  std::string text() {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"white\"/>\n",
        kWidth, kHeight);
    label(kLeft, 28, "start", chart_.title, "font-size=\"15\"");
    axes();
    for (std::size_t i = 0; i < chart_.series.size(); ++i) series(i);
    return out_ + "</svg>\n";
  }

 private:
  double x(double value) const { return kLeft + (value - low_) / (high_ - low_) * (kRight - kLeft); }
  double y(double value) const { return kBottom - value / most_ * (kBottom - kTop); }

  void label(double at_x, double at_y, const char* anchor, const std::string& text,
             const std::string& attributes = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", at_x, at_y,
                        anchor, attributes, svg_escaped(text));
  }
  void rule(double x1, double y1, double x2, double y2) {
    out_ +=
        fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#dddddd\"/>\n",
                    x1, y1, x2, y2);
  }

  void axes() {
    const double every = std::max(1.0, std::ceil((high_ - low_) / 12));
    for (double power = low_; power <= high_; power += every) {
      rule(x(power), kTop, x(power), kBottom);
      label(x(power), kBottom + 18, "middle", binary_number(std::exp2(power)));
    }
    for (int tick = 0; tick * step_ <= most_ * (1 + 1e-9); ++tick) {
      rule(kLeft, y(tick * step_), kRight, y(tick * step_));
      label(kLeft - 8, y(tick * step_) + 4, "end", fmt::format("{:g}", tick * step_));
    }
    label((kLeft + kRight) / 2, kBottom + 42, "middle", chart_.x_label);
    label(20, (kTop + kBottom) / 2, "middle", chart_.y_label,
          fmt::format("transform=\"rotate(-90 20 {:.1f})\"", (kTop + kBottom) / 2));
  }

  void circle(double at_x, double at_y, const char* colour) {
    out_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
        at_x, at_y, colour);
  }
  void line(const std::string& points, const char* colour) {
    out_ += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" points=\"{}\"/>\n", colour,
                        points);
  }

  void series(std::size_t number) {
    const ChartSeries& s = chart_.series[number];
    const char* colour = kColours[number % kColours.size()];
    const double legend = kTop + 10 + 20 * static_cast<double>(number);
    if (s.style == ChartSeries::Style::kCircles) {
      for (const auto& [px, py] : s.points) circle(x(std::log2(px)), y(py), colour);
      circle(kRight + 25, legend, colour);
    } else {
      std::string points;
      for (const auto& [px, py] : s.points)
        points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x(std::log2(px)), y(py));
      line(points, colour);
      line(fmt::format("{:.1f},{:.1f} {:.1f},{:.1f}", kRight + 12, legend, kRight + 38, legend), colour);
    }
    label(kRight + 45, legend + 4, "start", s.name);
  }

  const LineChart& chart_;
  double low_ = 0, high_ = 0;  // log2 of x
  double most_ = 0, step_ = 0;
  std::string out_;
};

}  // namespace

std::string line_chart_svg(const LineChart& chart) { return Drawing(chart).text(); }

}  // namespace trn
