// What each kind of result file has to show. Every function appends sections, and throws ConfigError where
// the file lacks what its kind has.
#pragma once

#include <vector>

#include "sim/report/page/report_inputs.h"
#include "sim/report/page/section.h"

namespace trn {

using Sections = std::vector<Section>;

void add_training(const ReportInput& input, Sections& sections);
void add_run(const ReportInput& input, Sections& sections);
void add_collective(const ReportInput& input, Sections& sections);
void add_study(const ReportInput& input, Sections& sections);
void add_search(const ReportInput& input, Sections& sections);
void add_sensitivity(const ReportInput& input, Sections& sections);
void add_break_even(const ReportInput& input, Sections& sections);
void add_comparison(const ReportInput& input, Sections& sections);

// Parts of several kinds; nothing where the file has no such data.
void add_roofline(const ReportInput& input, Sections& sections);
void add_engines(const ReportInput& input, Sections& sections);
void add_resources(const ReportInput& input, Sections& sections);
void add_transfers(const ReportInput& input, Sections& sections);
void add_impossible(const ReportInput& input, Sections& sections);

// The figures of the machine that a file was made with.
void add_provenance(const ReportInput& input, Sections& sections);
// How each file was made; what the report could show besides, and how to get it.
void add_commands(const std::vector<ReportInput>& inputs, Sections& sections);
void add_absent(const std::vector<ReportInput>& inputs, Sections& sections);

}  // namespace trn
