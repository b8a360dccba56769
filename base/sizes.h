// Numbers and sizes as people write them on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trn {

// 4096, 64KiB, 1MB: binary units with i, decimal ones without. "1MiB", or "1MiB:1GiB:x4". UsageErrors name
// --sizes.
std::uint64_t parse_size(const std::string& text);
std::uint64_t parse_size(const std::string& option, const std::string& text);
std::vector<std::uint64_t> parse_sizes(const std::string& text);

// A whole number, or any number, within bounds; UsageErrors name the option.
std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t least,
                          std::uint64_t most);
double parse_number(const std::string& option, const std::string& text, double least, double most);

}  // namespace trn
