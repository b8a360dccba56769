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
  explicit Expander(const SourceLoader& loader) : loader_(loader) {}

  std::vector<Line> run(std::vector<Line> lines) {
    lines_of(std::move(lines), 0);
    return std::move(out_);
  }

 private:
  void lines_of(std::vector<Line> lines, std::size_t depth) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string& word = lines[i].tokens[0].text;
      if (word == ".endm") Cursor(lines[i]).fail("no matching .macro");
      if (word == ".macro")
        i = define(lines, i);
      else if (word == ".include")
        include(lines[i], depth);
      else
        expand(lines[i], 0);
    }
  }

  void include(const Line& line, std::size_t depth) {
    Cursor cursor(line);
    cursor.take();
    if (cursor.peek().kind != TokenKind::kString) cursor.fail("expected a file name in quotation marks");
    if (!loader_) cursor.fail("a program that is not a file includes none; before");
    if (depth == kDeepest) cursor.fail("files included deeper than 16; before");
    const std::string quoted = cursor.take().text;
    cursor.expect_end();
    const Source source = loader_(quoted.substr(1, quoted.size() - 2), *line.file);
    lines_of(lex(source.text, source.name), depth + 1);
  }

  // Returns the index of the .endm.
  std::size_t define(const std::vector<Line>& lines, std::size_t at) {
    Cursor cursor(lines[at]);
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
      if (lines[end].tokens[0].text == ".macro") Cursor(lines[end]).fail("a macro inside a macro");
      macro.body.push_back(lines[end]);
    }
    if (end == lines.size()) Cursor(lines[at]).fail("this macro has no .endm");
    macros_[name] = std::move(macro);
    return end;
  }

  void expand(const Line& line, std::size_t depth) {
    const auto found = macros_.find(line.tokens[0].text);
    if (found == macros_.end()) {
      if (out_.size() == kMostLines) Cursor(line).fail("macros expand to more than 200,000 lines; before");
      out_.push_back(line);
      return;
    }
    if (depth == kDeepest) Cursor(line).fail("macros nested deeper than 16; before");
    const Macro& macro = found->second;
    const std::vector<Tokens> arguments = split(line);
    if (arguments.size() != macro.parameters.size())
      Cursor(line).fail(found->first + " takes " + std::to_string(macro.parameters.size()) +
                        " arguments, found " + std::to_string(arguments.size()) + "; at");
    for (const Line& body : macro.body) {
      Line replaced{body.file, body.number, {}};
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
      if (argument.empty()) Cursor(line).fail("an empty argument; at");
    return out;
  }

  const SourceLoader& loader_;
  std::map<std::string, Macro> macros_;
  std::vector<Line> out_;
};

}  // namespace

std::vector<Line> expand_macros(std::vector<Line> lines, const SourceLoader& loader) {
  return Expander(loader).run(std::move(lines));
}

}  // namespace trn::tasm
