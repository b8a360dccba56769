#include "isa/golden.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "isa/assembler/affine.h"

namespace trn {
namespace {

constexpr int kDeepest = 100;
constexpr std::size_t kLongest = 4096;

const GoldenFunction* find_function(const std::string& name) {
  for (const GoldenFunction& f : kGoldenFunctions)
    if (f.name == name) return &f;
  return nullptr;
}

class GoldenParser {
 public:
  GoldenParser(tasm::Cursor& cursor, const Program& program) : cursor_(cursor), program_(program) {}

  GoldenNode whole() {
    GoldenNode node = sum();
    if (!cursor_.at_end()) throw ProgramError("unexpected '" + cursor_.peek().text + '\'');
    return node;
  }

 private:
  GoldenNode sum() {
    GoldenNode left = product();
    while (cursor_.is("+") || cursor_.is("-")) {
      const std::string sign = cursor_.take().text;
      left = call(sign, {left, product()});
    }
    return left;
  }

  GoldenNode product() {
    GoldenNode left = primary();
    while (cursor_.is("*") || cursor_.is("/")) {
      const std::string sign = cursor_.take().text;
      left = call(sign, {left, primary()});
    }
    return left;
  }

  GoldenNode primary() {
    if (++depth_ > kDeepest) throw ProgramError("nested deeper than 100");
    GoldenNode node;
    if (cursor_.accept("(")) {
      node = sum();
      close();
    } else if (cursor_.peek().kind == tasm::TokenKind::kNumber) {
      node.number = static_cast<double>(cursor_.take().number);
    } else if (cursor_.peek().kind == tasm::TokenKind::kReal) {
      node.number = cursor_.take().real;
    } else if (cursor_.next_is("(")) {
      node = function();
    } else {
      node = tensor();
    }
    --depth_;
    return node;
  }

  GoldenNode function() {
    const std::string name = cursor_.take().text;
    cursor_.take();
    std::vector<GoldenNode> arguments;
    do {
      arguments.push_back(sum());
    } while (cursor_.accept(","));
    close();
    return call(name, std::move(arguments));
  }

  static GoldenNode call(const std::string& name, std::vector<GoldenNode> arguments) {
    const GoldenFunction* f = find_function(name);
    if (f == nullptr) {
      std::vector<std::string> known;
      for (const GoldenFunction& row : kGoldenFunctions) known.emplace_back(row.name);
      throw ProgramError("unknown function " + name + "; known: " + join(known));
    }
    if (f->arguments != arguments.size())
      throw ProgramError(name + " takes " + std::to_string(f->arguments) + " argument(s), found " +
                         std::to_string(arguments.size()));
    GoldenNode node;
    node.kind = GoldenNode::Kind::kFunction;
    node.function = f->name;
    node.arguments = std::move(arguments);
    return node;
  }

  GoldenNode tensor() {
    const std::string name = cursor_.at_end() ? "the end" : cursor_.take().text;
    GoldenNode node;
    node.kind = GoldenNode::Kind::kTensor;
    for (; node.tensor < program_.tensors.size(); ++node.tensor)
      if (program_.tensors[node.tensor].name == name && program_.tensors[node.tensor].space == Space::kHbm)
        return node;
    throw ProgramError("expected a number, a function or a tensor in HBM, found " + name);
  }

  void close() {
    if (!cursor_.accept(")")) throw ProgramError("a bracket is not closed");
  }

  tasm::Cursor& cursor_;
  const Program& program_;
  int depth_ = 0;
};

}  // namespace

GoldenNode parse_golden(const std::string& expression, const Program& program) {
  if (expression.size() > kLongest) throw ProgramError("longer than 4096 characters");
  const std::vector<tasm::Line> lines = tasm::lex(expression, "golden");
  if (lines.size() != 1) throw ProgramError("expected an expression on one line");
  tasm::Cursor cursor(lines[0]);
  return GoldenParser(cursor, program).whole();
}

std::string golden_problem(const Golden& golden, const Program& program) {
  if (program.tensors[golden.tensor].space != Space::kHbm)
    return program.tensors[golden.tensor].name + " is not in HBM";
  try {
    parse_golden(golden.expression, program);
    std::string words;
    const std::vector<tasm::Line> lines = tasm::lex(golden.expression, "golden");
    for (const tasm::Token& token : lines[0].tokens)
      words += (words.empty() || token.text.empty() ? "" : " ") + token.text;
    if (words != golden.expression) return "written with other than one space between words";
  } catch (const ProgramError& error) {
    return error.what();
  }
  return "";
}

bool uses_tensor(const GoldenNode& node, std::uint32_t tensor) {
  return (node.kind == GoldenNode::Kind::kTensor && node.tensor == tensor) ||
         std::any_of(node.arguments.begin(), node.arguments.end(),
                     [&](const GoldenNode& argument) { return uses_tensor(argument, tensor); });
}

}  // namespace trn
