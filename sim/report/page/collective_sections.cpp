// A collective over sizes and algorithms, beside the bound that none can beat.
#include <set>

#include "base/text.h"
#include "sim/report/page/sections.h"

namespace trn {
namespace {

constexpr double kGib = 1073741824.0;  // what nccom-test prints as GB

std::vector<Cell> size_row(const JsonView& row) {
  const JsonView more = row.at("trnsim");
  const double time = row.number("time(us)");
  const double bound = more.number("bound_us");
  const double busbw = row.number("busbw(GB/s)") * kGib * 1e-9;
  return {text_cell(row.text("algorithm")),
          count_cell(row.count("size(B)")),
          number_cell(time, 2),
          number_cell(bound, 2),
          bound > 0 ? number_cell(time / bound, 3) : no_cell(),
          number_cell(row.number("algbw(GB/s)") * kGib * 1e-9, 2),
          number_cell(busbw, 2),
          bound > 0 ? number_cell(busbw * time / bound, 2) : no_cell(),
          text_cell(more.text("bound_by")),
          text_cell(more.text("binding"))};
}

}  // namespace

void add_collective(const ReportInput& input, Sections& sections) {
  const JsonView root = input.root();
  const std::string name = root.text("operation") + " on " + root.text("machine");
  Section s{"busbw", "Bus bandwidth: " + name, input.name};
  s.names_page = name;
  s.lead =
      count_cell(root.count("ranks")).text +
      " ranks. Bus bandwidth by size: solid as simulated, dashed the bound, which no algorithm beats. GB is "
      "1e9 bytes; sizes as nccom-test counts them.";
  s.table.columns = {{"algorithm", "algorithm", "", Align::kText},
                     {"size", "size", "B"},
                     {"time", "time", "\u00b5s"},
                     {"bound", "bound", "\u00b5s"},
                     {"ratio", "time / bound", ""},
                     {"algbw", "algbw", "GB/s"},
                     {"busbw", "busbw", "GB/s"},
                     {"most", "bound's busbw", "GB/s"},
                     {"bound_by", "bound by", "", Align::kText},
                     {"binding", "binding", "", Align::kText}};
  for (const JsonView& row : root.at("results").items()) s.table.rows.push_back(size_row(row));
  if (s.table.rows.empty()) root.fail("has no results");
  s.chart = "busbw";
  sections.push_back(std::move(s));
}

}  // namespace trn
