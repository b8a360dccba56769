// What one instruction costs and which shared resources it takes, from its operands.
#pragma once

#include "isa/program.h"
#include "models/machine_config.h"

namespace trn {

enum class OpKind : std::uint8_t { kControl, kSequencer, kClear, kWeights, kArray, kData, kDma, kCollective };

struct OpCost {
  OpKind kind = OpKind::kControl;
  Cycles busy;                   // blocks the next independent instruction of the engine
  Cycles latency;                // past busy until the result is visible
  std::uint8_t table = 0;        // activation table set, 0: any
  bool takes_bus = false;        // the bus shared by Vector fast modes and GpSimd
  bool takes_psum_port = false;  // v2: Vector and Scalar exclude each other on PSUM
  bool background = false;       // a transpose that may run beside another instruction of the array
  std::uint64_t flops = 0;       // executed by the array, one multiply-add = 2
};

OpCost op_cost(const Instruction& instruction, Engine engine, const Program& program, const CoreConfig& core);

// Bytes [first, first + span) of a partition that an SBUF or PSUM operand touches in its first iteration.
struct ByteSpan {
  std::int64_t first;
  std::uint64_t span;
};
ByteSpan byte_span(const AccessPattern& pattern, const TensorDecl& tensor);

Clock engine_clock(Engine engine, const CoreConfig& core);

}  // namespace trn
