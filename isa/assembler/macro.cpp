#include "isa/assembler/macro.h"

#include <algorithm>
#include <map>

#include "isa/assembler/affine.h"

namespace trn::tasm {
namespace {

constexpr std::size_t kMostLines = 200'000;
constexpr std::size_t kDeepest = 16;

using Tokens = std::vector<Token>;

struct Macro {
  std::vector<std::string> parameters;
  std::vector<Line> body;
};

class Expander {
 public:
  explicit Expander(const std::string& file) : file_(file) {}

  std::vector<Line> run(std::vector<Line> lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string& word = lines[i].tokens[0].text;
      if (word == ".endm") Cursor(lines[i], file_).fail("no matching .macro");
      if (word == ".macro")
        i = define(lines, i);
      else
        expand(lines[i], 0);
    }
    return std::move(out_);
  }

 private:
  // Returns the index of the .endm.
  std::size_t define(const std::vector<Line>& lines, std::size_t at) {
    Cursor cursor(lines[at], file_);
    cursor.take();
    const std::string name = cursor.word("a macro name");
    if (name[0] == '.' || macros_.count(name) != 0)
      cursor.fail("the macro name \"" + name + "\" is taken; before");
    Macro macro;
    cursor.expect("(");
    while (!cursor.accept(")")) {
      if (!macro.parameters.empty()) cursor.expect(",");
      macro.parameters.push_back(cursor.word("a parameter"));
    }
    cursor.expect_end();
    std::size_t end = at + 1;
    for (; end < lines.size() && lines[end].tokens[0].text != ".endm"; ++end) {
      if (lines[end].tokens[0].text == ".macro") Cursor(lines[end], file_).fail("a macro inside a macro");
      macro.body.push_back(lines[end]);
    }
    if (end == lines.size()) Cursor(lines[at], file_).fail("this macro has no .endm");
    macros_[name] = std::move(macro);
    return end;
  }

  void expand(const Line& line, std::size_t depth) {
    const auto found = macros_.find(line.tokens[0].text);
    if (found == macros_.end()) {
      if (out_.size() == kMostLines)
        Cursor(line, file_).fail("macros expand to more than 200,000 lines; before");
      out_.push_back(line);
      return;
    }
    if (depth == kDeepest) Cursor(line, file_).fail("macros nested deeper than 16; before");
    const Macro& macro = found->second;
    const std::vector<Tokens> arguments = split(line);
    if (arguments.size() != macro.parameters.size())
      Cursor(line, file_)
          .fail(found->first + " takes " + std::to_string(macro.parameters.size()) + " arguments, found " +
                std::to_string(arguments.size()) + "; at");
    for (const Line& body : macro.body) {
      Line replaced{body.number, {}};
      for (const Token& token : body.tokens) {
        const auto parameter = token.kind == TokenKind::kWord
                                   ? std::find(macro.parameters.begin(), macro.parameters.end(), token.text)
                                   : macro.parameters.end();
        if (parameter == macro.parameters.end()) {
          replaced.tokens.push_back(token);
          continue;
        }
        const Tokens& argument = arguments[static_cast<std::size_t>(parameter - macro.parameters.begin())];
        replaced.tokens.insert(replaced.tokens.end(), argument.begin(), argument.end());
      }
      expand(replaced, depth + 1);
    }
  }

  // What stands between the commas outside of brackets.
  std::vector<Tokens> split(const Line& line) const {
    std::vector<Tokens> out;
    int open = 0;
    for (std::size_t i = 1; i + 1 < line.tokens.size(); ++i) {
      const Token& token = line.tokens[i];
      if (out.empty()) out.emplace_back();
      if (token.text == "(" || token.text == "[") ++open;
      if (token.text == ")" || token.text == "]") --open;
      if (token.text == "," && open == 0)
        out.emplace_back();
      else
        out.back().push_back(token);
    }
    for (const Tokens& argument : out)
      if (argument.empty()) Cursor(line, file_).fail("an empty argument; at");
    return out;
  }

  const std::string& file_;
  std::map<std::string, Macro> macros_;
  std::vector<Line> out_;
};

}  // namespace

std::vector<Line> expand_macros(std::vector<Line> lines, const std::string& file) {
  return Expander(file).run(std::move(lines));
}

}  // namespace trn::tasm
