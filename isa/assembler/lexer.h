// Tokens of one .tasm line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trn::tasm {

enum class TokenKind : std::uint8_t { kWord, kNumber, kReal, kSymbol, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  std::int64_t number = 0;
  double real = 0;
  std::uint32_t column = 1;
};

struct Line {
  std::uint32_t number = 0;   // 1-based
  std::vector<Token> tokens;  // ends with kEnd
};

// Splits `text` into its non-empty lines; `;` starts a comment. ProgramError "name:line:column: ..." on a
// character that starts no token or a number that does not fit 63 bits.
std::vector<Line> lex(const std::string& text, const std::string& name);

}  // namespace trn::tasm
