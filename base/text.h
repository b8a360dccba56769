// Small text helpers shared by everything that talks to people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trn {

// "a, b, c"
std::string join(const std::vector<std::string>& items, const std::string& separator = ", ");

// The parts between separators; at least one.
std::vector<std::string> split(const std::string& text, char separator);

// The known name closest to `word` by edit distance, or "" when nothing is near: for "did you mean".
std::string nearest_name(const std::string& word, const std::vector<std::string>& known);

// ` (did you mean "x"?)`, or "; known: a, b, c" when nothing is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

// 1234567 -> "1,234,567"
std::string with_commas(std::uint64_t value);

// Text file as a string; a ConfigError naming the path when it cannot be read.
std::string read_text_file(const std::string& path);

// Writes beside the target, to the disk, and renames: a reader sees the whole file or none. UsageError naming
// the path and the reason, such as a full disk.
void write_file_atomically(const std::string& path, const std::string& content);

}  // namespace trn
