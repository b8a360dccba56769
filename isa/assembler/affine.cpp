#include "isa/assembler/affine.h"

#include <algorithm>

#include "base/error.h"

namespace trn::tasm {

bool Affine::constant() const {
  return std::all_of(coefficients.begin(), coefficients.end(), [](std::int64_t c) { return c == 0; });
}

bool Cursor::accept(const char* text) {
  if (!is(text)) return false;
  ++at_;
  return true;
}

void Cursor::expect(const char* text) {
  if (!accept(text)) fail(std::string("expected '") + text + '\'');
}

Token Cursor::take() {
  Token token = peek();
  if (!at_end()) ++at_;
  return token;
}

std::string Cursor::word(const char* what) {
  if (peek().kind != TokenKind::kWord) fail(std::string("expected ") + what);
  return take().text;
}

void Cursor::expect_end() const {
  if (!at_end()) fail("expected the end of the line");
}

std::string Cursor::where() const {
  return *line_.file + ':' + std::to_string(line_.number) + ':' + std::to_string(peek().column);
}

void Cursor::fail(const std::string& what) const {
  throw ProgramError(where() + ": " + what +
                     (at_end() ? ", found the end of the line" : ", found '" + peek().text + '\''));
}

namespace {

class ExpressionParser {
 public:
  ExpressionParser(Cursor& cursor, const Lookup& lookup) : cursor_(cursor), lookup_(lookup) {}

  Affine logical() {
    Affine left = comparison();
    while (cursor_.is("&&") || cursor_.is("||")) {
      const bool both = cursor_.take().text == "&&";
      const Affine right = comparison();
      const bool a = known(left) != 0;
      const bool b = known(right) != 0;
      left = number(both ? (a && b) : (a || b));
    }
    return left;
  }

 private:
  Affine comparison() {
    Affine left = sum();
    while (cursor_.is("==") || cursor_.is("!=") || cursor_.is("<") || cursor_.is(">") || cursor_.is("<=") ||
           cursor_.is(">=")) {
      const std::string op = cursor_.take().text;
      const Affine right = sum();
      const std::int64_t a = known(left);
      const std::int64_t b = known(right);
      left = number(op == "=="   ? a == b
                    : op == "!=" ? a != b
                    : op == "<"  ? a < b
                    : op == ">"  ? a > b
                    : op == "<=" ? a <= b
                                 : a >= b);
    }
    return left;
  }

  Affine sum() {
    Affine left = product();
    while (cursor_.is("+") || cursor_.is("-")) {
      const bool plus = cursor_.take().text == "+";
      left = combine(left, product(), plus ? 1 : -1);
    }
    return left;
  }

  Affine product() {
    Affine left = unary();
    while (cursor_.is("*") || cursor_.is("/") || cursor_.is("%")) {
      const std::string op = cursor_.take().text;
      const Affine right = unary();
      if (op == "*") {
        if (!left.constant() && !right.constant()) throw NotAffine{};
        left = left.constant() ? scale(right, left.base) : scale(left, right.base);
        continue;
      }
      const std::int64_t a = known(left);
      const std::int64_t b = known(right);
      if (b == 0) cursor_.fail("division by zero");
      if (b == -1) cursor_.fail("division by -1");
      left = number(op == "/" ? a / b : a % b);
    }
    return left;
  }

  Affine unary() {
    if (++depth_ > 200) cursor_.fail("expression nested too deeply");
    Affine value = cursor_.accept("-") ? scale(unary(), -1) : primary();
    --depth_;
    return value;
  }

  Affine primary() {
    if (cursor_.accept("(")) {
      Affine value = logical();
      cursor_.expect(")");
      return value;
    }
    if (cursor_.peek().kind == TokenKind::kNumber) return number(cursor_.take().number);
    if (cursor_.peek().kind != TokenKind::kWord) cursor_.fail("expected a number, a name or '('");
    if (cursor_.next_is("(") && (cursor_.is("min") || cursor_.is("max"))) {
      const bool want_min = cursor_.take().text == "min";
      cursor_.expect("(");
      const std::int64_t a = known(logical());
      cursor_.expect(",");
      const std::int64_t b = known(logical());
      cursor_.expect(")");
      return number(want_min ? std::min(a, b) : std::max(a, b));
    }
    const Affine* value = lookup_(cursor_.peek().text);
    if (value == nullptr) cursor_.fail("unknown name; define it with .const, .let or .for");
    cursor_.take();
    return *value;
  }

  static Affine number(std::int64_t value) {
    Affine result;
    result.base = value;
    return result;
  }
  static std::int64_t known(const Affine& value) {
    if (!value.constant()) throw NotAffine{};
    return value.base;
  }
  std::int64_t checked_add(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) cursor_.fail("64-bit overflow in this expression");
    return result;
  }
  std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) cursor_.fail("64-bit overflow in this expression");
    return result;
  }
  Affine combine(const Affine& a, const Affine& b, std::int64_t sign) {
    Affine result = a;
    result.base = checked_add(a.base, checked_multiply(b.base, sign));
    result.coefficients.resize(std::max(a.coefficients.size(), b.coefficients.size()));
    for (std::size_t i = 0; i < b.coefficients.size(); ++i)
      result.coefficients[i] = checked_add(result.coefficients[i], checked_multiply(b.coefficients[i], sign));
    return result;
  }
  Affine scale(const Affine& a, std::int64_t factor) {
    Affine result = a;
    result.base = checked_multiply(a.base, factor);
    for (std::int64_t& c : result.coefficients) c = checked_multiply(c, factor);
    return result;
  }

  Cursor& cursor_;
  const Lookup& lookup_;
  int depth_ = 0;
};

}  // namespace

Affine parse_expression(Cursor& cursor, const Lookup& lookup) {
  return ExpressionParser(cursor, lookup).logical();
}

std::int64_t parse_constant(Cursor& cursor, const Lookup& lookup) {
  const Affine value = parse_expression(cursor, lookup);
  if (!value.constant()) throw NotAffine{};
  return value.base;
}

}  // namespace trn::tasm
