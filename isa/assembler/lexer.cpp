#include "isa/assembler/lexer.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>

#include "base/error.h"

namespace trn::tasm {
namespace {

bool word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }
bool word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class LineLexer {
 public:
  LineLexer(const std::string& text, std::string where) : text_(text), where_(std::move(where)) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    while (skip_blanks()) tokens.push_back(next());
    Token end;
    end.column = static_cast<std::uint32_t>(at_ + 1);
    tokens.push_back(end);
    return tokens;
  }

 private:
  bool skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() && text_[at_] != ';';
  }

  Token next() {
    Token token;
    token.column = static_cast<std::uint32_t>(at_ + 1);
    const std::size_t begin = at_;
    const char c = text_[at_];
    if (word_start(c) && !(c == '.' && text_.compare(at_, 2, "..") == 0)) {
      token.kind = TokenKind::kWord;
      ++at_;
      while (at_ < text_.size() && word_part(text_[at_])) ++at_;
    } else if (digit(c)) {
      lex_number(token);
    } else if (c == '"') {
      token.kind = TokenKind::kString;
      const std::size_t end = text_.find('"', at_ + 1);
      if (end == std::string::npos) fail("a string without an end");
      at_ = end + 1;
    } else {
      lex_symbol(token);
    }
    token.text = text_.substr(begin, at_ - begin);
    return token;
  }

  void lex_number(Token& token) {
    errno = 0;
    char* end = nullptr;
    const char* begin = text_.c_str() + at_;
    const bool hex = begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X');
    token.number = std::strtoll(begin, &end, hex ? 16 : 10);
    token.kind = TokenKind::kNumber;
    const bool fraction = *end == '.' && digit(end[1]);
    if (fraction || *end == 'e' || *end == 'E') {
      token.real = std::strtod(begin, &end);
      token.kind = TokenKind::kReal;
    }
    if (errno != 0) fail("number out of range");
    at_ += static_cast<std::size_t>(end - begin);
    if (at_ < text_.size() && word_part(text_[at_])) fail("malformed number");
  }

  void lex_symbol(Token& token) {
    token.kind = TokenKind::kSymbol;
    for (const char* two : {"..", ">=", "<=", "==", "!=", "+=", "&&", "||"}) {
      if (text_.compare(at_, 2, two) == 0) {
        at_ += 2;
        return;
      }
    }
    if (std::string("[](),:|=?!@+-*/%<>~").find(text_[at_]) == std::string::npos)
      fail(std::string("unexpected character '") + text_[at_] + "'");
    ++at_;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ProgramError(where_ + ':' + std::to_string(at_ + 1) + ": " + what);
  }

  const std::string& text_;
  std::string where_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Line> lex(const std::string& text, const std::string& name) {
  const auto file = std::make_shared<const std::string>(name);
  std::vector<Line> lines;
  std::size_t begin = 0;
  for (std::uint32_t number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    std::vector<Token> tokens = LineLexer(line, name + ':' + std::to_string(number)).run();
    if (tokens.size() > 1) lines.push_back({file, number, std::move(tokens)});
    begin = end + 1;
  }
  return lines;
}

}  // namespace trn::tasm
