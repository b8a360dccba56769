#include "sim/timeline/operand_bytes.h"

namespace trn {

OperandBytes operand_bytes(const Instruction& instruction, const Program& program) {
  OperandBytes bytes;
  each_operand(instruction, [&](const AccessPattern& pattern, bool written) {
    const TensorDecl& tensor = program.tensors[pattern.tensor];
    (written ? bytes.written : bytes.read)[static_cast<std::size_t>(tensor.space)] +=
        pattern.rows * pattern.elements_per_row() * size_of(tensor.dtype);
  });
  return bytes;
}

}  // namespace trn
