// A line chart as SVG text: data in, text out, the same bytes for the same data.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace trn {

struct ChartSeries {
  enum class Style { kLine, kCircles };
  std::string name;
  std::vector<std::pair<double, double>> points;  // x > 0
  Style style = Style::kLine;
};

// The x axis is logarithmic to base 2 and labelled in bytes; the y axis starts at 0.
struct LineChart {
  std::string title, x_label, y_label;
  std::vector<ChartSeries> series;  // some point of some series
};

std::string line_chart_svg(const LineChart& chart);

}  // namespace trn
