// Vector and Scalar engine instructions, row by row.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "isa/semantics/alu.h"
#include "isa/semantics/number.h"
#include "isa/semantics/operation.h"

namespace trn {
namespace {

using Element = std::function<double(std::size_t row, std::size_t column)>;

void for_each(Operation& op, const Element& value) {
  Values& to = op.result();
  for (std::size_t r = 0; r < to.rows; ++r)
    for (std::size_t c = 0; c < to.columns; ++c) to(r, c) = value(r, c);
}

bool integers(const Operation& op) {
  for (std::size_t s = 0; s < op.sources.size(); ++s)
    if (info(op.source_type(s)).floating) return false;
  return !info(op.program.tensors[op.instruction.dst.tensor].dtype).floating;
}

// x op a, or a op x. Bit operations, and all of GpSimd's on integers, are exact; the rest is fp32.
double apply(const Operation& op, AluOp alu_op, bool reversed, double x, double a) {
  if (reversed) std::swap(x, a);
  if (alu_op == AluOp::kNone) return reversed ? a : x;
  if (is_bitwise(alu_op) || (op.engine == Engine::kGpSimd && integers(op)))
    return static_cast<double>(alu_bits(alu_op, static_cast<std::int64_t>(x), static_cast<std::int64_t>(a)));
  return alu(alu_op, x, a);
}

void copy(Operation& op) { op.result().at = op.sources[0].at; }

void fill(Operation& op) {
  for_each(op, [&](std::size_t, std::size_t) { return static_cast<double>(op.instruction.imm0); });
}

void copy_predicated(Operation& op) {
  copy(op);
  for (const double predicate : op.sources[1].at) op.writes[0].skip.push_back(predicate == 0 ? 1 : 0);
}

void tensor_tensor(Operation& op) {
  for_each(op, [&](std::size_t r, std::size_t c) {
    return apply(op, op.instruction.op0, false, op.sources[0](r, c), op.sources[1](r, c));
  });
}

void tensor_scalar(Operation& op) {
  const Instruction& i = op.instruction;
  for_each(op, [&](std::size_t r, std::size_t c) {
    const double x = apply(op, i.op0, i.reverse0, op.sources[0](r, c), op.scalar(1, i.imm0, r));
    return apply(op, i.op1, i.reverse1, x, op.scalar(2, i.imm1, r));
  });
  reduce_rows(op);
}

void scalar_tensor_tensor(Operation& op) {
  const Instruction& i = op.instruction;
  for_each(op, [&](std::size_t r, std::size_t c) {
    const double x = apply(op, i.op0, i.reverse0, op.sources[0](r, c), op.scalar(2, i.imm0, r));
    return apply(op, i.op1, i.reverse1, x, op.sources[1](r, c));
  });
}

void scan(Operation& op) {
  const Instruction& i = op.instruction;
  Values& to = op.result();
  for (std::size_t r = 0; r < to.rows; ++r) {
    double running = op.scalar(2, i.imm0, r);
    for (std::size_t c = 0; c < to.columns; ++c) {
      running = alu(i.op1, alu(i.op0, op.sources[0](r, c), running), op.sources[1](r, c));
      to(r, c) = running;
    }
  }
}

void cumulate(Operation& op) {
  const Instruction& i = op.instruction;
  Values& to = op.result();
  for (std::size_t r = 0; r < to.rows; ++r) {
    double running = i.imm1;
    for (std::size_t c = 0; c < to.columns; ++c) {
      running = alu(i.op1, alu(i.op0, op.sources[0](r, c), i.imm0), running);
      to(r, c) = running;
    }
  }
}

void reduce(Operation& op) {
  const Values& from = op.sources[0];
  Values& to = op.result();
  const std::size_t span = from.columns / to.columns;
  for_each(op, [&](std::size_t r, std::size_t c) {
    double sum = from(r, c * span);
    if (op.instruction.op0 == AluOp::kAbsMax || op.instruction.op0 == AluOp::kAbsMin) sum = std::fabs(sum);
    for (std::size_t k = 1; k < span; ++k) sum = alu(op.instruction.op0, sum, from(r, c * span + k));
    return op.instruction.reverse0 ? -sum : sum;
  });
}

void range_select(Operation& op) {
  for_each(op, [&](std::size_t r, std::size_t c) {
    const double at = static_cast<double>(c);
    return at >= op.sources[1](r, 0) && at < op.sources[2](r, 0)
               ? op.sources[0](r, c)
               : static_cast<double>(std::numeric_limits<float>::lowest());
  });
  reduce_rows(op);
}

void select_reduce(Operation& op) {
  for_each(op, [&](std::size_t r, std::size_t c) {
    return op.sources[1](r, c) != 0 ? op.sources[0](r, c) : op.scalar(2, op.instruction.imm0, r);
  });
  reduce_rows(op);
}

void reciprocal(Operation& op) {
  for_each(op, [&](std::size_t r, std::size_t c) { return alu(AluOp::kDivide, 1, op.sources[0](r, c)); });
}

// (count, mean, count x variance) of the even elements, then of the odd ones.
void bn_stats(Operation& op) {
  const Values& x = op.sources[0];
  for (std::size_t r = 0; r < x.rows; ++r)
    for (std::size_t odd = 0; odd < 2; ++odd) {
      double count = 0;
      double mean = 0;
      double squares = 0;
      for (std::size_t c = odd; c < x.columns; c += 2) {
        const double delta = x(r, c) - mean;
        mean += delta / ++count;
        squares += delta * (x(r, c) - mean);
      }
      op.result()(r, 3 * odd) = count;
      op.result()(r, 3 * odd + 1) = mean;
      op.result()(r, 3 * odd + 2) = squares;
    }
}

void bn_aggregate(Operation& op) {
  const Values& x = op.sources[0];
  for (std::size_t r = 0; r < x.rows; ++r) {
    double count = 0;
    double mean = 0;
    double squares = 0;
    for (std::size_t c = 0; c < x.columns; c += 3) {
      const double more = x(r, c);
      if (more == 0) continue;
      const double delta = x(r, c + 1) - mean;
      squares += x(r, c + 2) + delta * delta * count * more / (count + more);
      count += more;
      mean += delta * more / count;
    }
    op.result()(r, 0) = mean;
    op.result()(r, 1) = count == 0 ? 0 : squares / count;
  }
}

void shuffle(Operation& op) {
  const Values& from = op.sources[0];
  Values moved(0, from.columns);
  for (std::size_t r = 0; r < from.rows; ++r) {
    const std::int64_t source = op.table()[r % 32];
    if (source == 255) continue;
    const std::size_t row = r / 32 * 32 + static_cast<std::size_t>(source);
    if (row >= from.rows)
      throw ProgramError("SHUF takes partition " + std::to_string(row) + " of " + std::to_string(from.rows));
    for (std::size_t c = 0; c < from.columns; ++c) moved.at.push_back(from(row, c));
    op.writes[0].rows.push_back(op.instruction.dst.row + static_cast<std::int64_t>(r));
    ++moved.rows;
  }
  op.result() = std::move(moved);
}

void max8(Operation& op) {
  const Values& x = op.sources[0];
  for (std::size_t r = 0; r < x.rows; ++r) {
    const auto begin = x.at.begin() + static_cast<std::ptrdiff_t>(r * x.columns);
    std::vector<double> row(begin, begin + static_cast<std::ptrdiff_t>(x.columns));
    std::sort(row.begin(), row.end(), std::greater<>());
    for (std::size_t c = 0; c < op.result().columns; ++c) op.result()(r, c) = row[c];
  }
}

// The place of each of the 8 values, equal values in ascending order of place; x.columns: none.
std::vector<std::size_t> places(const Values& x, const Values& wanted, std::size_t r) {
  std::vector<std::size_t> out;
  std::vector<char> taken(x.columns);
  for (std::size_t v = 0; v < wanted.columns; ++v) {
    std::size_t at = 0;
    while (at < x.columns && (taken[at] != 0 || x(r, at) != wanted(r, v))) ++at;
    if (at < x.columns) taken[at] = 1;
    out.push_back(at);
  }
  return out;
}

void find_index8(Operation& op) {
  const Values& x = op.sources[0];
  const DType type = op.program.tensors[op.instruction.dst.tensor].dtype;
  const double none = size_of(type) == 2 ? 65535.0 : 4294967295.0;
  for (std::size_t r = 0; r < x.rows; ++r) {
    const std::vector<std::size_t> found = places(x, op.sources[1], r);
    for (std::size_t v = 0; v < found.size(); ++v)
      op.result()(r, v) = found[v] == x.columns ? none : static_cast<double>(found[v]);
  }
}

void match_replace8(Operation& op) {
  copy(op);
  for (std::size_t r = 0; r < op.result().rows; ++r)
    for (const std::size_t at : places(op.sources[0], op.sources[1], r))
      if (at < op.result().columns) op.result()(r, at) = op.instruction.imm0;
}

void random(Operation& op) {
  std::mt19937& engine = op.registers.random;
  const auto uniform = [&] { return static_cast<double>(static_cast<float>(engine() >> 8u)) / (1u << 24u); };
  switch (static_cast<RandomKind>(op.instruction.kind)) {
    case RandomKind::kRaw:
      return for_each(op, [&](std::size_t, std::size_t) { return static_cast<double>(engine()); });
    case RandomKind::kUniform:
      return for_each(op, [&](std::size_t, std::size_t) { return uniform(); });
    case RandomKind::kDropout:
      return for_each(op, [&](std::size_t r, std::size_t c) {
        return uniform() < static_cast<double>(op.instruction.imm0) ? 0 : op.sources[0](r, c);
      });
    case RandomKind::kSeed:
      engine.seed(static_cast<std::uint32_t>(op.instruction.imm0));
      return fill(op);
  }
}

void exponential(Operation& op) {
  for_each(op, [&](std::size_t r, std::size_t c) {
    return activation(ActFn::kExp, op.sources[0](r, c) - op.scalar(1, op.instruction.imm0, r));
  });
  reduce_rows(op);
}

void activate(Operation& op) {
  const Instruction& i = op.instruction;
  for_each(op, [&](std::size_t r, std::size_t c) {
    const double x = op.sources[0](r, c) * op.scalar(2, i.imm0, r) + op.scalar(1, i.imm1, r);
    return static_cast<double>(static_cast<float>(activation(i.fn, x)));
  });
  reduce_rows(op);
}

void read_accumulator(Operation& op) {
  const bool defined = op.registers.row_sums.size() >= op.result().rows;
  for_each(op, [&](std::size_t r, std::size_t) {
    return defined ? op.registers.row_sums[r] : std::numeric_limits<double>::quiet_NaN();
  });
}

}  // namespace

void reduce_rows(Operation& op) {
  const Instruction& i = op.instruction;
  std::vector<double>& sums = op.registers.row_sums;
  if (i.row_reduce == RowReduce::kIdle) {
    if (op.engine == Engine::kVector) sums.clear();  // Vector's are undefined after an idle instruction
    return;
  }
  const Values& values = op.result();
  const bool fresh = i.row_reduce == RowReduce::kReset || sums.size() < values.rows;
  if (fresh)
    sums.assign(values.rows,
                i.row_reduce == RowReduce::kReset ? 0 : std::numeric_limits<double>::quiet_NaN());
  for (std::size_t r = 0; r < values.rows; ++r) {
    std::size_t c = 0;
    if (i.row_reduce == RowReduce::kReset) sums[r] = values(r, c++);
    for (; c < values.columns; ++c) sums[r] = alu(i.reduce_op, sums[r], values(r, c));
  }
}

const std::vector<SemanticsRow>& vector_semantics() {
  static const std::vector<SemanticsRow> kTable{{Opcode::kCopy, copy},
                                                {Opcode::kCopyPredicated, copy_predicated},
                                                {Opcode::kFill, fill},
                                                {Opcode::kTensorTensor, tensor_tensor},
                                                {Opcode::kTensorScalar, tensor_scalar},
                                                {Opcode::kScalarTensorTensor, scalar_tensor_tensor},
                                                {Opcode::kScan, scan},
                                                {Opcode::kCumulate, cumulate},
                                                {Opcode::kReduce, reduce},
                                                {Opcode::kRangeSelect, range_select},
                                                {Opcode::kSelectReduce, select_reduce},
                                                {Opcode::kReciprocal, reciprocal},
                                                {Opcode::kBnStats, bn_stats},
                                                {Opcode::kBnAggregate, bn_aggregate},
                                                {Opcode::kShuffle, shuffle},
                                                {Opcode::kMax8, max8},
                                                {Opcode::kFindIndex8, find_index8},
                                                {Opcode::kMatchReplace8, match_replace8},
                                                {Opcode::kRandom, random},
                                                {Opcode::kExponential, exponential},
                                                {Opcode::kActivation, activate},
                                                {Opcode::kReadAccumulator, read_accumulator}};
  return kTable;
}

}  // namespace trn
