// RunResult for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/functional/comparison.h"
#include "sim/run/run_result.h"

namespace trn {

std::string result_text(const RunResult& result);
nlohmann::ordered_json result_json(const RunResult& result);

// The engines of a run's cores, a row each, and its five longest stalls, a line each.
std::string engine_table(const RunResult& result);
std::string stall_lines(const RunResult& result);

// Its resources, a line each, and the three regions whose transfers lost most.
std::string resource_lines(const RunResult& result);
std::string region_lines(const RunResult& result);
void add_resources(const RunResult& result, nlohmann::ordered_json& json);

// A tensor against its reference, a line.
std::string check_line(const TensorCheck& check);

// 12.3 us, 4.56 ms: three to four significant digits.
std::string time_text(Picoseconds time);
std::string bytes_text(double bytes);

}  // namespace trn
