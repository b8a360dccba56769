// The DMA size curve against the published points, and its drawing.
#include "sim/run/dma_curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <functional>
#include <sstream>

#include "base/error.h"
#include "sim/report/line_chart.h"

namespace trn {
namespace {

MachineConfig machine(const std::string& name) { return parse_machine(load_machine_document(name), "chip"); }

PublishedDma trn2_published() { return published_dma(read_measurements("validation/core.csv"), "trn2"); }

template <class Error>
std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

// The figure: one transfer of 128 rows takes 0.87 us to make, 350 ns + 128 x 4 ns = 862 ns by software, up to
// 2 KiB a partition: 262,144 B / 862 ns = 304 GB/s. Above, bytes count: 16 engines x 8 rows of 32 KiB take
// 8 x (5.5 + 32,768 / 23) = 11,441 ns for 4 MiB, 366.6 GB/s. 304 / 366.6 = 0.829 (published 0.813), and
// 64 B: 8192 B / 862 ns / 366.6 = 0.0259 (0.026).
TEST(DmaCurve, SoftwareDescriptorsReproduceThePublishedOne) {
  const DmaCurve curve =
      dma_curve(DescriptorMode::kSoftware, default_dma_sizes(), trn2_published(), machine("trn2"));
  int compared = 0;
  for (const DmaCurvePoint& p : curve.points) {
    if (p.bytes == 64) {
      EXPECT_NEAR(p.relative, 0.0259, 0.0002);
    }
    if (p.bytes == 2048) {
      EXPECT_NEAR(p.relative, 0.829, 0.005);
    }
    if (!p.published) continue;
    EXPECT_NEAR(p.relative / *p.published, 1, 0.10) << p.bytes;
    ++compared;
  }
  EXPECT_EQ(compared, 8);
  EXPECT_LT(curve.error(), 1.03);
  for (const DescriptorMode other : {DescriptorMode::kStatic, DescriptorMode::kHardware})
    EXPECT_GT(dma_curve(other, default_dma_sizes(), trn2_published(), machine("trn2")).error(), 1.2);
}

// 4 x (5.5 + 8192 / 23) = 1446.7 ns, published 1416: 2.2 % more.
TEST(DmaCurve, OneEngineIsWithinThreePercent) {
  ASSERT_TRUE(trn2_published().one_engine_ns);
  EXPECT_EQ(*trn2_published().one_engine_ns, 1416);
  EXPECT_NEAR(to_us(one_engine_transfer(machine("trn2"))) * 1e3, 1446.7, 0.1);
  EXPECT_NEAR(1446.7 / 1416, 1, 0.03);
}

TEST(DmaCurve, GrowsWithSizeAndStaysBelowTheEngines) {
  for (const char* name : {"trn1", "trn2", "trn3"}) {
    const MachineConfig m = machine(name);
    const double most =
        static_cast<double>(m.core.dma.engine_rate.count() * m.core.dma.engines) * 1e-3;  // GB/s
    for (const DescriptorMode mode : dma_modes(m)) {
      double before = 0;
      for (const DmaCurvePoint& p : dma_curve(mode, default_dma_sizes(), {}, m).points) {
        EXPECT_GT(p.gb_per_s, before) << name << ' ' << p.bytes;
        EXPECT_LE(p.gb_per_s, most) << name << ' ' << p.bytes;
        before = p.gb_per_s;
      }
    }
  }
}

TEST(DmaCurve, MistakesAreNamed) {
  EXPECT_EQ(error_of<UsageError>([] { parse_dma_sizes("64,6"); }),
            "--sizes: \"6\": expected bytes a partition, a multiple of 4 (one fp32) of 4 or more, such as "
            "32,64,4096");
  for (const char* bad : {"", "0", "-4", "4.5", "64,,64", "99999999999999999999"})
    EXPECT_THROW(parse_dma_sizes(bad), UsageError) << bad;
  EXPECT_EQ(parse_dma_sizes("64,32"), (std::vector<std::uint64_t>{64, 32}));
  EXPECT_EQ(error_of<UsageError>([] { dma_curve(DescriptorMode::kHardware, {64}, {}, machine("trn1")); }),
            "--mode hw: trn1 has no hardware descriptor generation; static and sw are left");
  EXPECT_EQ(
      error_of<CapacityError>([] { dma_curve(DescriptorMode::kStatic, {1 << 20}, {}, machine("trn2")); }),
      "--sizes: 1,048,576 B a partition; the SBUF of trn2 has 212,984 B usable");
}

LineChart small_chart() {
  return {"a < b & \"c\"",
          "size (B)",
          "rate (GB/s)",
          {{"line", {{32, 0}, {64, 10}, {1024, 20}}, ChartSeries::Style::kLine},
           {"dots", {{32, 5}, {1024, 15}}, ChartSeries::Style::kCircles}}};
}

// Well-formed, and says what it was given: two circles and one in the legend, a line and one in the legend.
TEST(LineChart, IsWellFormedAndComplete) {
  const std::string svg = line_chart_svg(small_chart());
  boost::property_tree::ptree tree;
  std::istringstream in(svg);
  ASSERT_NO_THROW(boost::property_tree::read_xml(in, tree)) << svg;
  int circles = 0;
  int lines = 0;
  std::vector<std::string> texts;
  for (const auto& [name, child] : tree.get_child("svg")) {
    circles += name == "circle" ? 1 : 0;
    lines += name == "polyline" ? 1 : 0;
    if (name == "text") texts.push_back(child.data());
  }
  EXPECT_EQ(circles, 3);
  EXPECT_EQ(lines, 2);
  for (const char* text : {"a < b & \"c\"", "size (B)", "rate (GB/s)", "line", "dots", "32", "1 Ki", "20"})
    EXPECT_NE(std::find(texts.begin(), texts.end(), text), texts.end()) << text;
  EXPECT_EQ(svg, line_chart_svg(small_chart()));
}

// The plot is 520 wide from 70 on and 350 high up from 400; 32 to 1024 are 5 doublings, 64 one of them: x =
// 174; 10 of 20 is half way up: y = 225.
TEST(LineChart, PutsPointsOnALogarithmicAxis) {
  EXPECT_NE(line_chart_svg(small_chart()).find("points=\"70.0,400.0 174.0,225.0 590.0,50.0\""),
            std::string::npos);
}

TEST(LineChart, OnePointAtZeroIsAChart) {
  const std::string svg = line_chart_svg({"t", "x", "y", {{"s", {{64, 0}}, ChartSeries::Style::kLine}}});
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace trn
