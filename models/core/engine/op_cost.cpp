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

// On NeuronCore-v2 a port gives half its rate to an innermost step of 16 bytes or more.
std::uint64_t port_slowdown(const Instruction& i, const Program& program, const SbufConfig& sbuf) {
  const auto wide = [&](const AccessPattern& p) {
    if (p.dim_count == 0 || p.dims[p.dim_count - 1].num == 1) return false;
    const std::int64_t step = p.dims[p.dim_count - 1].step;
    return static_cast<std::uint64_t>(step < 0 ? -step : step) * size_of(program.tensors[p.tensor].dtype) >=
           sbuf.wide_stride_bytes;
  };
  bool any = takes_destination(info(i.opcode).operands) && wide(i.dst);
  for (std::size_t s = 0; s < i.source_count; ++s) any = any || wide(i.src[s]);
  return any ? sbuf.wide_stride_slowdown : 1;
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
  if (i.opcode == Opcode::kLoadWeights || i.opcode == Opcode::kLoadWeightsMx) {
    cost.kind = OpKind::kWeights;
    cost.busy = weight_load(columns / planes, engine);
    return cost;
  }
  cost.kind = OpKind::kArray;
  cost.latency = engine.latency;
  if (i.opcode == Opcode::kTranspose) {
    cost.busy = transpose_interval(i.src[0].rows, columns, source.dtype, engine);
    cost.background = engine.background_transpose;
    return cost;
  }
  cost.busy = matmul_interval({columns / planes, i.dst.rows, source.dtype}, engine);
  // contraction x M x N; an x4 element holds four rows of it, a sparse one stands for four.
  const std::uint64_t depth = info(source.dtype).values * (i.sparse ? engine.sparsity_speedup : 1);
  cost.flops = std::uint64_t{2} * i.src[0].rows * depth * i.dst.rows * columns;
  return cost;
}

// Cycles by the vendor's table of estimated costs (docs/isa.md); N is elements a partition.
VectorCost vector_cycles(const Instruction& i, const Program& program, const VectorConfig& engine) {
  const VectorOperand dst = operand(i.dst, program);
  const VectorOperand a = i.source_count > 0 ? operand(i.src[0], program) : dst;
  const VectorOperand b = i.source_count > 1 ? operand(i.src[1], program) : a;
  const std::uint64_t n = i.source_count > 0 ? i.src[0].elements_per_row() : i.dst.elements_per_row();
  const bool narrow = is_narrow(dst.dtype, engine) && is_narrow(a.dtype, engine);
  const auto passes = [&](std::uint64_t count) { return vector_cost(n, count, 1, engine); };
  switch (i.opcode) {
    case Opcode::kCopy:
    case Opcode::kTensorScalar:
      return vector_copy_cost(n, dst, a, engine);
    case Opcode::kTensorTensor:
      return vector_tensor_tensor_cost(n, dst, a, b, engine);
    case Opcode::kScalarTensorTensor:
      return passes(narrow && is_narrow(b.dtype, engine) && n % 2 == 0 && i.op0 == AluOp::kSubtract &&
                            i.op1 == AluOp::kMultiply
                        ? 1
                        : 2);
    case Opcode::kScan:
      return passes(2);
    case Opcode::kCopyPredicated:
    case Opcode::kSelectReduce:
      return passes(a.space == Space::kPsum || b.space == Space::kPsum ? 1 : 2);
    case Opcode::kReduce:
      return vector_cost(n, 1, narrow && (i.op0 == AluOp::kAdd || i.op0 == AluOp::kMax) ? 2 : 1, engine);
    case Opcode::kReciprocal:
      return passes(8);
    case Opcode::kBnAggregate:
      return vector_cost(n, 13, 3, engine);
    case Opcode::kFill:
      return vector_cost(n, 1, is_narrow(dst.dtype, engine) && i.imm0 == 0 ? 2 : 1, engine);
    case Opcode::kExponential:
    case Opcode::kQuantizeMx:
      return vector_cost(n, 1, engine.exponential_speedup, engine);
    default:
      return passes(1);
  }
}

OpCost vector_op(const Instruction& i, const Program& program, const CoreConfig& core) {
  OpCost cost;
  cost.kind = OpKind::kData;
  cost.latency = core.vector.latency;
  if (i.opcode == Opcode::kReadAccumulator) {
    cost.busy = core.vector.min_interval;
    return cost;
  }
  const VectorCost vector = vector_cycles(i, program, core.vector);
  cost.busy = vector.busy * port_slowdown(i, program, core.sbuf);
  cost.takes_bus = vector.fast_mode;
  return cost;
}

OpCost scalar_op(const Instruction& i, const Program& program, const CoreConfig& core) {
  const ScalarConfig& engine = core.scalar;
  OpCost cost;
  cost.kind = OpKind::kData;
  const bool table = i.opcode == Opcode::kActivation && info(i.fn).table != 0;
  cost.latency = table ? engine.latency : engine.short_latency;
  const std::uint64_t n = i.source_count > 0 ? i.src[0].elements_per_row() : i.dst.elements_per_row();
  if (i.opcode == Opcode::kReadAccumulator) {
    cost.busy = engine.accumulator_read;
    return cost;
  }
  const bool narrow = is_narrow(operand(i.dst, program).dtype, core.vector) &&
                      is_narrow(operand(i.src[0], program).dtype, core.vector);
  const bool copies = i.opcode != Opcode::kActivation;
  const std::uint64_t speedup = copies && narrow ? engine.copy_speedup_16bit : 1;
  cost.busy = std::max(Cycles((n + speedup - 1) / speedup), engine.min_interval) *
              port_slowdown(i, program, core.sbuf);
  if (i.opcode == Opcode::kActivation) cost.table = info(i.fn).table;
  return cost;
}

// A gather's 16 partitions share a list of indices; sources: docs/calibration.md#gpsimd.
Cycles gather_cycles(const Instruction& i, const Program& program, const GpSimdConfig& engine) {
  const std::uint64_t indices = i.src[1].elements_per_row();
  const std::uint64_t elements = std::max<std::uint64_t>(1, i.dst.elements_per_row() / indices);
  const std::uint64_t width = size_of(program.tensors[i.dst.tensor].dtype);
  const std::uint64_t lanes = std::min<std::uint64_t>(elements, std::max<std::uint64_t>(1, 4 / width));
  return Cycles(indices * (engine.gather_index.count() + engine.gather_element.count() * elements) /
                (engine.gather_element.count() * lanes));
}

OpCost gpsimd_op(const Instruction& i, const Program& program, const GpSimdConfig& engine) {
  OpCost cost;
  cost.kind = OpKind::kData;
  cost.latency = engine.latency;
  cost.takes_bus = true;  // GpSimd works on SBUF only
  const std::uint64_t n = i.source_count > 0 ? i.src[0].elements_per_row() : i.dst.elements_per_row();
  switch (i.opcode) {
    case Opcode::kTensorTensor:
      cost.busy = engine.startup + Cycles(2 * n);
      break;
    case Opcode::kGather:
      cost.busy = engine.startup + gather_cycles(i, program, engine);
      break;
    case Opcode::kPartition:
      cost.busy = i.kind == static_cast<std::uint8_t>(PartitionKind::kTopK)
                      ? engine.startup + Cycles(engine.topk_passes * n + i.dst.elements_per_row())
                      : engine.startup + Cycles(engine.cross_partition_passes * n);
      break;
    default:
      cost.busy = engine.startup + Cycles(std::max(n, i.dst.elements_per_row()));
      break;
  }
  return cost;
}

OpCost fixed_op_cost(const Instruction& i, Engine engine, const Program& program, const CoreConfig& core) {
  OpCost cost;
  cost.busy = core.sync.control;
  switch (i.opcode) {
    case Opcode::kNop:
    case Opcode::kWait:
    case Opcode::kPost:
    case Opcode::kStoreRegister:
      return cost;
    case Opcode::kClearSemaphore:
      cost.kind = OpKind::kClear;
      return cost;
    case Opcode::kLoadRegister:
      cost.kind = OpKind::kSequencer;
      cost.busy = core.sequencer.register_load;
      return cost;
    case Opcode::kMoveRegister:
    case Opcode::kAluRegister:
    case Opcode::kBranch:
    case Opcode::kLoop:
    case Opcode::kEndLoop:
      cost.kind = OpKind::kSequencer;
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
      cost = vector_op(i, program, core);
      break;
    case Engine::kScalar:
      cost = scalar_op(i, program, core);
      break;
    case Engine::kGpSimd:
      cost = gpsimd_op(i, program, core.gpsimd);
      break;
    case Engine::kSync:
      TRN_CHECK(false, "Sync has no data path");
  }
  if (engine == Engine::kVector && !core.sbuf.vector_gpsimd_concurrent) cost.takes_bus = true;
  if (engine != Engine::kGpSimd && !core.psum.vector_scalar_concurrent)
    cost.takes_psum_port = touches_psum(i, program);
  return cost;
}

}  // namespace

OpCost op_cost(const Instruction& i, Engine engine, const Program& program, const CoreConfig& core) {
  OpCost cost = fixed_op_cost(i, engine, program, core);
  if (i.dynamic() && cost.kind != OpKind::kDma)
    cost.busy = std::max(cost.busy, core.sequencer.dynamic_operand);
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
