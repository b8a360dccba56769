#include "sim/report/page/page.h"

#include <map>

#include "base/error.h"
#include "sim/report/page/html.h"
#include "sim/report/page/sections.h"
#include "sim/report/page/template.h"

namespace trn {
namespace {

struct KindRow {
  const char* kind;
  void (*add)(const ReportInput&, Sections&);
};

// In the order of the page.
const std::vector<KindRow>& kind_table() {
  static const std::vector<KindRow> kTable{
      {"training", add_training},
      {"run", add_run},
      {"collective", add_collective},
      {"comparison", add_comparison},
      {"sensitivity", add_sensitivity},
      {"breakeven", add_break_even},
      {"study", add_study},
      {"search", add_search},
  };
  return kTable;
}

// A second section of a name becomes name-2; tables that others draw are renamed with them.
void make_ids_unique(Sections& sections, std::size_t first) {
  std::map<std::string, std::string> renamed;
  for (std::size_t i = first; i < sections.size(); ++i) {
    Section& s = sections[i];
    const std::string wanted = s.id;
    const auto taken = [&] {
      for (std::size_t j = 0; j < i; ++j)
        if (sections[j].id == s.id) return true;
      return false;
    };
    for (int n = 2; taken(); ++n) s.id = wanted + '-' + std::to_string(n);
    renamed[wanted] = s.id;
    if (!s.table_of.empty()) s.table_of = renamed.at(s.table_of);
  }
}

std::string page_title(const Sections& sections) {
  for (const Section& s : sections)
    if (!s.names_page.empty()) return s.names_page;
  return "trnsim report";
}

void replace_mark(std::string& page, const std::string& name, const std::string& content) {
  const std::string mark = "<!--report:" + name + "-->";
  const std::size_t at = page.find(mark);
  TRN_CHECK(at != std::string::npos, "the page's template has no mark " + mark);
  page.replace(at, mark.size(), content);
}

}  // namespace

std::vector<std::string> report_kinds() {
  std::vector<std::string> kinds;
  for (const KindRow& row : kind_table()) kinds.emplace_back(row.kind);
  return kinds;
}

std::vector<Section> report_sections(const std::vector<ReportInput>& inputs) {
  Sections sections;
  const auto add = [&](const ReportInput& input, void (*part)(const ReportInput&, Sections&)) {
    const std::size_t first = sections.size();
    part(input, sections);
    make_ids_unique(sections, first);
  };
  for (const KindRow& row : kind_table())
    for (const ReportInput& input : inputs)
      if (input.kind == row.kind) add(input, row.add);
  for (const ReportInput& input : inputs) add(input, add_provenance);
  add_commands(inputs, sections);
  add_absent(inputs, sections);
  return sections;
}

std::string report_page(const std::vector<ReportInput>& inputs) {
  const Sections sections = report_sections(inputs);
  std::string body;
  for (const Section& s : sections) body += section_html(s);
  std::string page(page_template());
  // In the order of the template: what is put in is escaped and holds no mark.
  const std::string title = html_escaped(page_title(sections));
  replace_mark(page, "title", title);
  replace_mark(page, "heading", title);
  replace_mark(page, "navigation", navigation_html(sections));
  replace_mark(page, "sections", body);
  return page;
}

}  // namespace trn
