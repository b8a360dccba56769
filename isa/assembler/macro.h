// .macro NAME(a, b) ... .endm and .include "file", expanded before anything else is read.
#pragma once

#include <string>
#include <vector>

#include "isa/assembler/assembler.h"
#include "isa/assembler/lexer.h"

namespace trn::tasm {

// A line that starts with a macro's name is replaced by its lines, with the arguments (separated by commas
// outside of brackets) in place of the parameters. Macros may use macros defined before them. Expanded lines
// keep the numbers they have in the macro. ProgramError naming the line on a macro without end, a wrong
// number of arguments, or one that grows without bound.
std::vector<Line> expand_macros(std::vector<Line> lines, const SourceLoader& loader);

}  // namespace trn::tasm
