// What any machine asks of a DMA instruction's form. The assembler says it with the line, check_program for
// programs that come from elsewhere.
#pragma once

#include <string>

#include "isa/program.h"

namespace trn {

// "" or what is wrong and the way out. Tensors and queue of the instruction exist.
std::string dma_problem(const Instruction& dma, const Program& program);

}  // namespace trn
