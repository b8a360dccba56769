// The limits of a machine that runs a program, whatever the program says it is for.
#pragma once

#include "isa/program.h"
#include "isa/rules.h"

namespace trn {

inline IsaLimits machine_for(const Program& program) {
  IsaLimits limits;
  limits.machine = program.target;
  limits.target = program.target;
  return limits;
}

}  // namespace trn
