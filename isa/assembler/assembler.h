// Text (.tasm) to Program and back. The grammar is described in docs/tasm.md.
#pragma once

#include <functional>
#include <string>

#include "isa/program.h"

namespace trn {

// Another file's text, and what it is called in errors.
struct Source {
  std::string text;
  std::string name;
};
// The file that `from` includes as `path`.
using SourceLoader = std::function<Source(const std::string& path, const std::string& from)>;

// `name` labels errors, which are ProgramErrors "name:line:column: what was found, what is allowed".
Program assemble(const std::string& text, const std::string& name, const SourceLoader& loader = {});

// Text that assembles to the same Program: assemble(disassemble(p)) == p.
std::string disassemble(const Program& program);

}  // namespace trn
