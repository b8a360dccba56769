// Text (.tasm) to Program and back. The grammar is described in docs/tasm.md.
#pragma once

#include <string>

#include "isa/program.h"

namespace trn {

// `name` labels errors, which are ProgramErrors "name:line:column: what was found, what is allowed".
Program assemble(const std::string& text, const std::string& name);

// Text that assembles to the same Program: assemble(disassemble(p)) == p.
std::string disassemble(const Program& program);

}  // namespace trn
