#include "models/core/engine/op_cost.h"

#include "base/error.h"
#include "models/core/tensor/tensor_cost.h"
#include "models/core/vector/vector_cost.h"

namespace trn {
namespace {

VectorOperand operand(const AccessPattern& pattern, const Program& program) {
  const TensorDecl& tensor = program.tensors[pattern.tensor];
  const bool contiguous = pattern.dim_count == 0 || pattern.dims[pattern.dim_count - 1].step == 1 ||
                          pattern.dims[pattern.dim_count - 1].num == 1;
  return {tensor.space, tensor.dtype, contiguous};
}

bool touches_psum(const Instruction& i, const Program& program) {
  const auto in_psum = [&](const AccessPattern& p) {
    return program.tensors[p.tensor].space == Space::kPsum;
  };
  bool found = takes_destination(info(i.opcode).operands) && in_psum(i.dst);
  for (std::size_t s = 0; s < i.source_count; ++s) found = found || in_psum(i.src[s]);
  return found;
}

OpCost tensor_op(const Instruction& i, const Program& program, const TensorConfig& engine) {
  OpCost cost;
  const TensorDecl& source = program.tensors[i.src[0].tensor];
  const std::uint64_t columns = i.src[0].elements_per_row();
  const std::uint64_t planes = i.double_row ? 2 : 1;
  if (i.opcode == Opcode::kLoadWeights) {
    cost.kind = OpKind::kWeights;
    cost.busy = weight_load(columns / planes, engine);
    return cost;
  }
  cost.kind = OpKind::kArray;
  cost.latency = engine.latency;
  if (i.opcode == Opcode::kTranspose) {
    cost.busy = transpose_interval(i.src[0].rows, columns, engine);
    return cost;
  }
  cost.busy = matmul_interval({columns / planes, i.dst.rows, source.dtype}, engine);
  cost.flops = std::uint64_t{2} * i.src[0].rows * i.dst.rows * columns;  // contraction x M x N
  return cost;
}

OpCost vector_op(const Instruction& i, const Program& program, const VectorConfig& engine) {
  const VectorOperand dst = operand(i.dst, program);
  const VectorOperand a = i.source_count > 0 ? operand(i.src[0], program) : dst;
  const VectorOperand b = i.source_count > 1 ? operand(i.src[1], program) : a;
  const std::uint64_t n = i.source_count > 0 ? i.src[0].elements_per_row() : i.dst.elements_per_row();
  const bool narrow = is_16bit_float(dst.dtype) && is_16bit_float(a.dtype);
  VectorCost vector;
  switch (i.opcode) {
    case Opcode::kCopy:
    case Opcode::kTensorScalar:
      vector = vector_copy_cost(n, dst, a, engine);
      break;
    case Opcode::kTensorTensor:
      vector = vector_tensor_tensor_cost(n, dst, a, b, engine);
      break;
    case Opcode::kScalarTensorTensor: {
      const bool halved = narrow && is_16bit_float(b.dtype) && n % 2 == 0 && i.op0 == AluOp::kSubtract &&
                          i.op1 == AluOp::kMultiply;
      vector = vector_cost(n, halved ? 1 : 2, 1, engine);
      break;
    }
    case Opcode::kReduce:
      vector = vector_cost(n, 1, narrow && (i.op0 == AluOp::kAdd || i.op0 == AluOp::kMax) ? 2 : 1, engine);
      break;
    case Opcode::kReciprocal:
      vector = vector_cost(n, 8, 1, engine);
      break;
    case Opcode::kFill:
      vector = vector_cost(n, 1, is_16bit_float(dst.dtype) ? 2 : 1, engine);
      break;
    default:
      vector = vector_cost(n, 1, 1, engine);
      break;
  }
  OpCost cost;
  cost.kind = OpKind::kData;
  cost.busy = vector.busy;
  cost.latency = engine.latency;
  cost.takes_bus = vector.fast_mode;
  return cost;
}

OpCost scalar_op(const Instruction& i, const Program& program, const ScalarConfig& engine) {
  OpCost cost;
  cost.kind = OpKind::kData;
  cost.latency = engine.latency;
  const std::uint64_t n = i.source_count > 0 ? i.src[0].elements_per_row() : i.dst.elements_per_row();
  if (i.opcode == Opcode::kReadAccumulator) {
    cost.busy = engine.accumulator_read;
    return cost;
  }
  const bool narrow =
      is_16bit_float(operand(i.dst, program).dtype) && is_16bit_float(operand(i.src[0], program).dtype);
  const bool copies = i.opcode != Opcode::kActivation;
  const std::uint64_t speedup = copies && narrow ? engine.copy_speedup_16bit : 1;
  cost.busy = std::max(Cycles((n + speedup - 1) / speedup), engine.min_interval);
  if (i.opcode == Opcode::kActivation) cost.table = info(i.fn).table;
  return cost;
}

OpCost gpsimd_op(const Instruction& i, const GpSimdConfig& engine) {
  OpCost cost;
  cost.kind = OpKind::kData;
  const std::uint64_t n = i.dst.elements_per_row();
  cost.busy = engine.startup + Cycles(i.opcode == Opcode::kTensorTensor ? 2 * n : n);
  cost.latency = engine.latency;
  cost.takes_bus = true;  // GpSimd works on SBUF only
  return cost;
}

}  // namespace

OpCost op_cost(const Instruction& i, Engine engine, const Program& program, const CoreConfig& core) {
  OpCost cost;
  switch (i.opcode) {
    case Opcode::kNop:
    case Opcode::kWait:
    case Opcode::kPost:
      cost.busy = core.sync.control;
      return cost;
    case Opcode::kDma:
      cost.kind = OpKind::kDma;
      return cost;
    case Opcode::kCollective:
      cost.kind = OpKind::kCollective;
      return cost;
    default:
      break;
  }
  switch (engine) {
    case Engine::kTensor:
      return tensor_op(i, program, core.tensor);
    case Engine::kVector:
      cost = vector_op(i, program, core.vector);
      break;
    case Engine::kScalar:
      cost = scalar_op(i, program, core.scalar);
      break;
    case Engine::kGpSimd:
      cost = gpsimd_op(i, core.gpsimd);
      break;
    case Engine::kSync:
      TRN_CHECK(false, "Sync has no data path");
  }
  if (engine == Engine::kVector && !core.sbuf.vector_gpsimd_concurrent) cost.takes_bus = true;
  if (engine != Engine::kGpSimd && !core.psum.vector_scalar_concurrent)
    cost.takes_psum_port = touches_psum(i, program);
  return cost;
}

ByteSpan byte_span(const AccessPattern& pattern, const TensorDecl& tensor) {
  std::int64_t low = pattern.offset;
  std::int64_t high = pattern.offset;
  for (std::uint32_t d = 0; d < pattern.dim_count; ++d) {
    const std::int64_t span = pattern.dims[d].step * static_cast<std::int64_t>(pattern.dims[d].num - 1);
    (span < 0 ? low : high) += span;
  }
  const std::int64_t bytes = static_cast<std::int64_t>(size_of(tensor.dtype));
  return {static_cast<std::int64_t>(tensor.address) + low * bytes,
          static_cast<std::uint64_t>((high - low + 1) * bytes)};
}

Clock engine_clock(Engine engine, const CoreConfig& core) {
  switch (engine) {
    case Engine::kTensor:
      return core.tensor.clock;
    case Engine::kVector:
      return core.vector.clock;
    case Engine::kScalar:
      return core.scalar.clock;
    case Engine::kGpSimd:
      return core.gpsimd.clock;
    case Engine::kSync:
      break;
  }
  return core.sync.clock;
}

}  // namespace trn
