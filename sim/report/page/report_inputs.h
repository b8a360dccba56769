// The files a report is made of: each is recognised by its "kind".
#pragma once

#include <string>
#include <vector>

#include "sim/report/page/json_view.h"

namespace trn {

struct ReportInput {
  std::string name;  // of the file, without its folder
  std::string kind;
  JsonView::Json json;

  JsonView root() const { return {json, name + ": $"}; }
};

// `path`: a result file, or a folder whose *.json files are all read, in order of their names. ConfigError
// for a path that is not there, a folder without any, broken JSON (with its place), an unknown kind or
// schema.
std::vector<ReportInput> load_report_inputs(const std::string& path);

// One file's text. `name` labels errors.
ReportInput parse_report_input(const std::string& text, const std::string& name);

}  // namespace trn
