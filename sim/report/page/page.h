// `trnsim report`: result files as one HTML page that needs no network.
#pragma once

#include <string>
#include <vector>

#include "sim/report/page/report_inputs.h"
#include "sim/report/page/section.h"

namespace trn {

// Kinds of result files the page can show.
std::vector<std::string> report_kinds();

// All sections of all inputs, in the order of the page. ConfigError where a file lacks what its kind has.
std::vector<Section> report_sections(const std::vector<ReportInput>& inputs);

// The page. The same inputs give the same bytes.
std::string report_page(const std::vector<ReportInput>& inputs);

}  // namespace trn
