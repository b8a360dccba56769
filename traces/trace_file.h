// Programs as binary traces (traces/trace.proto).
#pragma once

#include <string>

#include "isa/program.h"

namespace trn {

// The bytes of a trace file. Same program, same bytes.
std::string write_trace(const Program& program);

// ProgramError "name: byte N: ..." on anything that is not a whole, valid trace.
Program read_trace(const std::string& bytes, const std::string& name);

// True if `bytes` start like a trace file.
bool is_trace(const std::string& bytes);

}  // namespace trn
