// Integer expressions over constants and symbolic loop variables.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "isa/assembler/lexer.h"

namespace trn::tasm {

// base + sum(coefficients[l] * iteration of loop l).
struct Affine {
  std::int64_t base = 0;
  std::vector<std::int64_t> coefficients;

  bool constant() const;
};

// Raised where a value must be known but depends on a loop variable: the loop is then unrolled.
struct NotAffine {};

// Walks the tokens of one line.
class Cursor {
 public:
  explicit Cursor(const Line& line) : line_(line) {}

  const Token& peek() const { return line_.tokens[at_]; }
  bool at_end() const { return peek().kind == TokenKind::kEnd; }
  bool is(const char* text) const { return peek().kind != TokenKind::kEnd && peek().text == text; }
  bool next_is(const char* text) const { return !at_end() && line_.tokens[at_ + 1].text == text; }
  bool accept(const char* text);
  void expect(const char* text);
  Token take();
  std::string word(const char* what);
  void expect_end() const;
  [[noreturn]] void fail(const std::string& what) const;
  std::string where() const;

 private:
  const Line& line_;
  std::size_t at_ = 0;
};

// Value of a name, or nullptr.
using Lookup = std::function<const Affine*(const std::string&)>;

// Grammar: || && comparisons + - * / % unary- (..) min(a,b) max(a,b) numbers names. Comparisons, logic, / %
// min max and products of two variables need constants, else NotAffine. 64-bit overflow and division by zero
// are errors with a place.
Affine parse_expression(Cursor& cursor, const Lookup& lookup);
std::int64_t parse_constant(Cursor& cursor, const Lookup& lookup);

}  // namespace trn::tasm
