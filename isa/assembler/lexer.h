// Tokens of one .tasm line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace trn::tasm {

enum class TokenKind : std::uint8_t { kWord, kNumber, kReal, kSymbol, kString, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  std::int64_t number = 0;
  double real = 0;
  std::uint32_t column = 1;
};

struct Line {
  std::shared_ptr<const std::string> file;
  std::uint32_t number = 0;   // 1-based
  std::vector<Token> tokens;  // ends with kEnd
};

// Splits `text` into its non-empty lines; `;` starts a comment. ProgramError "name:line:column: ..." on a
// character that starts no token, a number that does not fit 63 bits, or a string without an end.
std::vector<Line> lex(const std::string& text, const std::string& name);

}  // namespace trn::tasm
