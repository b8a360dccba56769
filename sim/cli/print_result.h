// RunResult for people and for programs.
#pragma once

#include <string>

#include "sim/run/run_result.h"

namespace trn {

std::string result_text(const RunResult& result);
std::string result_json(const RunResult& result);

// 12.3 us, 4.56 ms: three to four significant digits.
std::string time_text(Picoseconds time);
std::string bytes_text(double bytes);

}  // namespace trn
