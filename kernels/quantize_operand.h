// A quantised copy of a gemm's operand in HBM.
#pragma once

#include "kernels/quantizer.h"
#include "kernels/traffic.h"

namespace trn {

// As the array takes it: values [K / values of an element, columns], MX with e8m0 scales of the same shape,
// of which, as in SBUF, four rows of 32 are used.
struct QuantizedOperand {
  HbmTensor values;
  HbmTensor scales;  // without rows, but for MX
};
// Declares it in the rank's program. K of MX is a multiple of 128.
QuantizedOperand declare_operand(Program& program, const std::string& name, DType dtype, std::uint64_t k,
                                 std::uint64_t columns);

struct QuantizeOperand {
  QuantizeSource from;
  QuantizedOperand to;
  DType dtype;
  std::uint64_t k, columns;
  Fp8Scaling scaling;
};
// Rows of K a core's share is a multiple of.
std::uint64_t quantize_granule(DType dtype, const MachineConfig& machine);
// Appends rows [begin, end) of K.
void quantize_operand(CoreBuilder& builder, const QuantizeOperand& job, std::uint64_t begin,
                      std::uint64_t end);
HbmTraffic quantize_traffic(const QuantizeOperand& job, std::uint64_t begin, std::uint64_t end);

}  // namespace trn
