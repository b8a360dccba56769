// The data path's arithmetic: fp32 in, fp32 out.
#pragma once

#include "isa/opcode.h"

namespace trn {

// a op b, rounded to fp32. Comparisons and logic give 1 or 0. kNone gives a.
double alu(AluOp op, double a, double b);
// On the bits of integers.
std::int64_t alu_bits(AluOp op, std::int64_t a, std::int64_t b);
// The activation function in exact arithmetic; the hardware's piecewise polynomials differ by about 1e-3.
double activation(ActFn fn, double x);

}  // namespace trn
