// What the sections say, with figures computed by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "sim/report/page/page.h"

namespace trn {
namespace {

std::vector<Section> sections(const std::string& text) {
  return report_sections({parse_report_input(text, "f.json")});
}

const Section& find(const std::vector<Section>& all, const std::string& id) {
  for (const Section& s : all)
    if (s.id == id) return s;
  throw InternalError("no section " + id);
}

std::vector<std::string> ids(const std::vector<Section>& all) {
  std::vector<std::string> out;
  for (const Section& s : all) out.push_back(s.id);
  return out;
}

std::vector<std::string> texts(const std::vector<Cell>& row) {
  std::vector<std::string> out;
  for (const Cell& cell : row) out.push_back(cell.text);
  return out;
}

const char* const kTraining = R"({
  "kind": "training", "schema": 1, "version": "0.1.0", "how_sure": "extrapolated: no run", "model": "m", "machine": "trn2:chip",
  "command": "trnsim train --model m", "overrides": ["hbm.stacks=8"],
  "plan": {"tp": 4, "fsdp": 16, "lnc": 2, "sequence": 4096, "micro_batch": 1, "global_batch": 16, "recompute": "none", "lowering": "fused"},
  "tokens_per_s": 25356.4, "tokens_per_s_per_chip": 1584.78, "step_us": 4000, "hfu": 0.25, "hbm_utilisation": 0.5,
  "ledger_ps": {"ideal matmul": 1000000000, "DMA and HBM stall": 2000000000, "optimizer and rest": 1000000000},
  "rests_on": {"official": {"time_ps": 1000000000, "figures": ["a.b", "c"]}, "assumed": {"time_ps": 3000000000, "figures": []}},
  "mfu": [{"flops": "palm", "denominator": "clock", "value": 0.4}],
  "resources": [{"name": "HBM stack", "utilization": 0.5, "binding_share": 0.25, "achieved_bytes_per_s": 358e9, "peak_bytes_per_s": 716e9, "bus_lost_to_row_misses": 0.04, "bus_lost_to_turning": 0.01},
                {"name": "DMA engines of core 0", "utilization": 0.5, "binding_share": 0, "achieved_bytes_per_s": 1e9, "peak_bytes_per_s": 368e9, "bus_lost_to_row_misses": 0, "bus_lost_to_turning": 0},
                {"name": "DMA engines of core 1", "utilization": 0.5, "binding_share": 0, "achieved_bytes_per_s": 1e9, "peak_bytes_per_s": 368e9, "bus_lost_to_row_misses": 0, "bus_lost_to_turning": 0}],
  "array_ceilings": [{"mode": "fp32", "flops_per_s": 40e12}, {"mode": "bf16", "flops_per_s": 160e12}],
  "kernels": [{"region": "gemm", "time_us": 2000, "instructions": 10, "array_flops": 160000000000, "modes": ["bf16"], "transfers": 3, "dma_bytes": 400000000, "hbm_read_bytes": 300000000, "hbm_write_bytes": 100000000},
              {"region": "norm", "time_us": 1000, "instructions": 5, "array_flops": 0, "modes": [], "transfers": 3, "dma_bytes": 368000000, "hbm_read_bytes": 200000000, "hbm_write_bytes": 168000000},
              {"region": "collective", "time_us": 1, "instructions": 1, "array_flops": 0, "modes": [], "transfers": 0, "dma_bytes": 0, "hbm_read_bytes": 0, "hbm_write_bytes": 0}],
  "config": {"name": "trn2", "hbm": {"stacks": {"value": 8, "source": "--set; was 4", "confidence": "what-if"}, "rate": {"value": [1000, 2000], "source": "s", "confidence": "official"}}}
})";

TEST(TrainingSections, TheHeadlineSaysHowSureItIs) {
  const std::vector<Section> all = sections(kTraining);
  const Section& s = find(all, "headline");
  EXPECT_EQ(s.names_page, "m on trn2:chip");
  EXPECT_EQ(s.facts[0].value, "25,356");
  EXPECT_EQ(s.facts[1].value, "1,584.8");
  EXPECT_EQ(s.facts[2].value, "4.0");
  EXPECT_EQ(s.claim, "extrapolated: no run");
  EXPECT_EQ(s.notes[0], "What-if: hbm.stacks=8.");
  // 1 ms of 4, then 3 of 4.
  EXPECT_EQ(texts(s.table.rows[0]), (std::vector<std::string>{"official", "1.000", "25.0", "2", "a.b, c"}));
  EXPECT_EQ(texts(s.table.rows[1]), (std::vector<std::string>{"assumed", "3.000", "75.0", "0", ""}));
}

TEST(TrainingSections, TheWaterfallEndsWithTheStep) {
  const Section s = find(sections(kTraining), "ledger");
  ASSERT_EQ(s.table.rows.size(), 4u);
  EXPECT_EQ(texts(s.table.rows[1]),
            (std::vector<std::string>{"DMA and HBM stall", "2.000", "50.00", "3.000"}));
  EXPECT_EQ(texts(s.table.rows[3]), (std::vector<std::string>{"step", "4.000", "100.00", "4.000"}));
  EXPECT_NE(s.lead.find("\"DMA and HBM stall\""), std::string::npos);
}

// gemm: 160 GFLOP over 400 MB are 400 FLOP/B; in 2 ms 80 TFLOP/s, half of bf16's 160; 200 GB/s of HBM's 716
// and of the engines' 736 are less. norm: 368 MB in 1 ms are 368 GB/s: 51.4 % of HBM, 50 % of DMA.
TEST(TrainingSections, KernelsAreMeasuredAgainstTheirNearestCeiling) {
  const Section s = find(sections(kTraining), "roofline");
  ASSERT_EQ(s.table.rows.size(), 2u) << "a collective's region has no place in a roofline";
  EXPECT_EQ(texts(s.table.rows[0]),
            (std::vector<std::string>{"gemm", "2.000", "400.0", "80.00", "200.0", "Tensor bf16", "50.0",
                                      "0.160", "0.300", "0.100", "10", "bf16"}));
  EXPECT_EQ(s.table.rows[1][2].text, no_cell().text) << "no array work, no intensity";
  EXPECT_EQ(s.table.rows[1][5].text, "HBM");
  EXPECT_EQ(s.table.rows[1][6].text, "51.4");
  ASSERT_EQ(s.options["ceilings"].size(), 4u);
  EXPECT_EQ(s.options["ceilings"][3]["gb_per_s"], 736);
}

TEST(TrainingSections, OverriddenFiguresAreMarked) {
  const Section s = find(sections(kTraining), "provenance");
  ASSERT_EQ(s.table.rows.size(), 2u);
  EXPECT_EQ(texts(s.table.rows[0]), (std::vector<std::string>{"hbm.stacks", "8", "what-if", "--set; was 4"}));
  EXPECT_EQ(texts(s.table.rows[1]), (std::vector<std::string>{"hbm.rate", "1,000; 2,000", "official", "s"}));
  EXPECT_EQ(s.table.marked, std::vector<std::size_t>{0});
  EXPECT_NE(s.lead.find("1 overridden"), std::string::npos);
}

TEST(Sections, AppearOnlyWithTheirDataAndTheRestIsOffered) {
  const std::vector<Section> all = sections(kTraining);
  EXPECT_EQ(ids(all), (std::vector<std::string>{"headline", "ledger", "roofline", "resources", "mfu",
                                                "provenance", "made-by", "absent"}));
  std::vector<std::string> offered;
  for (const std::vector<Cell>& row : find(all, "absent").table.rows) offered.push_back(row[1].text);
  EXPECT_EQ(std::count_if(offered.begin(), offered.end(),
                          [](const std::string& how) { return how.find("train") != std::string::npos; }),
            0);
  EXPECT_EQ(offered.size(), 6u);  // collective, comparison, sensitivity, breakeven, study, search
  EXPECT_EQ(texts(find(all, "made-by").table.rows[0]),
            (std::vector<std::string>{"f.json", "training", "0.1.0", "trnsim train --model m"}));
}

TEST(Sections, TwoFilesOfAKindHaveSectionsOfTheirOwn) {
  const ReportInput input = parse_report_input(
      R"({"kind": "study", "schema": 1, "name": "s", "axes": [{"name": "tp", "values": [1, 2]}],
          "points": [{"index": 0, "coordinates": {"tp": 1}, "state": "done", "metrics": {"mfu": 0.5, "chips": 16}}]})",
      "f.json");
  const std::vector<Section> all = report_sections({input, input});
  EXPECT_EQ(ids(all),
            (std::vector<std::string>{"study", "front", "study-2", "front-2", "made-by", "absent"}));
  EXPECT_EQ(all[3].table_of, "study-2");
}

TEST(StudySections, StatesReasonsAndMissingMetricsAreShown) {
  const std::vector<Section> all = sections(
      R"({"kind": "study", "schema": 1, "name": "s", "axes": [{"name": "tp", "values": [1, 2]}],
          "points": [{"index": 0, "coordinates": {"tp": 1}, "state": "done", "metrics": {"mfu": 0.5, "step_us": 1234567}, "limiter": "DMA"},
                     {"index": 1, "coordinates": {"tp": 2}, "state": "failed", "reason": "signal 9"}],
          "impossible": [{"coordinates": {"tp": 3}, "reason": "3 does not divide 8"}]})");
  const Section& s = find(all, "study");
  EXPECT_EQ(s.lead, "1 points done, 1 failed, 0 missing, 1 impossible.");
  EXPECT_EQ(texts(s.table.rows[0]), (std::vector<std::string>{"0", "1", "50.00", "1,234.57", "DMA", "done"}));
  EXPECT_EQ(texts(s.table.rows[1]),
            (std::vector<std::string>{"1", "2", "\u2013", "\u2013", "", "failed: signal 9"}));
  EXPECT_EQ(texts(find(all, "impossible").table.rows[0]),
            (std::vector<std::string>{"3", "3 does not divide 8"}));
}

// 110 / 100 is +10 %, 95 / 100 is -5 %; the figure that moves it most comes first.
TEST(SensitivitySections, BreakEvenSaysFromWhereOn) {
  const Section s = find(
      sections(
          R"({"kind": "breakeven", "schema": 1, "knob": "hbm_bandwidth", "until": "mfu>=0.5", "reached": true,
              "holds_already": false, "factor": 1.5, "limiter_at_most": "DMA", "tried": [{"factor": 1.5, "mfu": 0.5}]})"),
      "breakeven");
  EXPECT_EQ(s.lead, "mfu>=0.5 holds from hbm_bandwidth 1.500 times as good.");
  EXPECT_EQ(texts(s.table.rows[0]), (std::vector<std::string>{"1.500", "50.00"}));
}

TEST(SensitivitySections, ChangesAreRelativeToTheBase) {
  const Section s = find(
      sections(
          R"({"kind": "sensitivity", "schema": 1, "machine": "x", "metric": "tokens_per_s", "base": 100, "limiter": "DMA",
                   "knobs": [{"key": "a", "label": "A", "subsystem": "S", "changes": [{"change": "-10%", "metric": 95}], "verdict": "helps"},
                             {"key": "b", "label": "B", "subsystem": "S", "changes": [{"change": "-10%", "metric": null}, {"change": "2x", "metric": 110}], "verdict": "helps"}]})"),
      "sensitivity");
  EXPECT_EQ(texts(s.table.rows[0]),
            (std::vector<std::string>{"B", "S", "\u2013", "10.00", "helps", "", "b"}));
  EXPECT_EQ(texts(s.table.rows[1]),
            (std::vector<std::string>{"A", "S", "\u22125.00", "\u2013", "helps", "", "a"}));
}

const std::string kSides = R"("a": {"label": "A", "value": 10000, "limiter": "x", "metrics": {"chips": 2}},
  "b": {"label": "B", "value": 6000, "limiter": "y", "metrics": {"chips": 4}}, "notes": ["n"])";

// From 10 ms to 6 ms: HBM gains 3 ms and DMA 1; changes of time are gains with the other sign.
TEST(ComparisonSections, GainsTakeTimeOffTheFirst) {
  const Section s =
      find(sections(R"({"kind": "comparison", "schema": 1, "metric": "time_us", )" + kSides +
                    R"(, "parts": [{"name": "HBM", "forward": 3000, "reverse": 3500, "interaction": -500},
                                                 {"name": "DMA", "forward": 1000, "reverse": 500, "interaction": 500}]})"),
           "comparison");
  ASSERT_EQ(s.table.rows.size(), 4u);
  EXPECT_EQ(s.table.columns[1].unit, "ms");
  EXPECT_EQ(texts(s.table.rows[0]), (std::vector<std::string>{"A", "10.00", "\u2013", "\u2013"}));
  EXPECT_EQ(texts(s.table.rows[1]), (std::vector<std::string>{"HBM", "\u22123.00", "\u22123.50", "0.50"}));
  EXPECT_EQ(texts(s.table.rows[3]), (std::vector<std::string>{"B", "6.00", "\u2013", "\u2013"}));
}

// Two chips for 10 ms are 20 chip ms, four for 6 ms are 24: nothing was gained, and the parts say so.
TEST(ComparisonSections, DifferentNumbersOfChipsCount) {
  const Section s = find(
      sections(R"({"kind": "comparison", "schema": 1, "metric": "chip_time_us", )" + kSides +
               R"(, "parts": [{"name": "chips", "forward": -4000, "reverse": -4000, "interaction": 0}]})"),
      "comparison");
  EXPECT_EQ(texts(s.table.rows[0])[1], "20.00");
  EXPECT_EQ(texts(s.table.rows[1])[1], "4.00");
  EXPECT_EQ(texts(s.table.rows[2])[1], "24.00");
  EXPECT_EQ(s.table.columns[1].unit, "chip ms");
}

TEST(ComparisonSections, PartsThatDoNotSumAreRefused) {
  EXPECT_THROW(sections(R"({"kind": "comparison", "schema": 1, "metric": "time_us", )" + kSides +
                        R"(, "parts": [{"name": "HBM", "forward": -4000, "reverse": 0, "interaction": 0}]})"),
               ConfigError);
  const Section s = find(
      sections(R"({"kind": "comparison", "schema": 1, "metric": "time_us", )" + kSides + "}"), "comparison");
  EXPECT_EQ(texts(s.table.rows[1]),
            (std::vector<std::string>{"all of it", "\u22124.00", "\u2013", "\u2013"}));
}

// nccom-test's GB are GiB: 100 of them a second are 107.37 GB/s; at half the bound's time twice that were
// allowed.
TEST(CollectiveSections, BusBandwidthsAreDecimal) {
  const Section s = find(
      sections(R"J({"kind": "collective", "schema": 1, "operation": "all_reduce", "machine": "m", "ranks": 64,
                    "results": [{"size(B)": 1024, "time(us)": 20, "algbw(GB/s)": 50, "busbw(GB/s)": 100,
                                 "algorithm": "ring",
                                 "trnsim": {"bound_us": 10, "bound_by": "links", "binding": "link +x"}}]})J"),
      "busbw");
  EXPECT_EQ(texts(s.table.rows[0]),
            (std::vector<std::string>{"ring", "1,024", "20.00", "10.00", "2.000", "53.69", "107.37", "214.75",
                                      "links", "link +x"}));
}

TEST(Cells, HaveThousandsSeparatorsAndNoNegativeZero) {
  EXPECT_EQ(number_cell(1234567.891, 2).text, "1,234,567.89");
  EXPECT_EQ(number_cell(999.996, 2).text, "1,000.00");
  EXPECT_EQ(number_cell(-1234, 0).text, "\u22121,234");
  EXPECT_EQ(number_cell(-0.001, 2).text, "0.00");
}

}  // namespace
}  // namespace trn
