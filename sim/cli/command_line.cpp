#include "sim/cli/command_line.h"

#include <filesystem>

#include "base/text.h"

namespace trn {
namespace {

constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";

// Inside single quotes a shell changes nothing; a single quote itself stands outside of them.
std::string shell_word(const std::string& word) {
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + '\'';
}

}  // namespace

std::string shell_line(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_word(word));
  return join(quoted, " ");
}

std::string command_line() {
  // Linux keeps the words with a zero after each.
  std::vector<std::string> words = split(read_text_file("/proc/self/cmdline"), '\0');
  words.pop_back();
  words[0] = std::filesystem::path(words[0]).filename().string();
  return shell_line(words);
}

}  // namespace trn
