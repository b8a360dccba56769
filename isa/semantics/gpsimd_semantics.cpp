// GpSimd: generators, gathers, work across partitions.
#include <algorithm>

#include "isa/semantics/alu.h"
#include "isa/semantics/operation.h"

namespace trn {
namespace {

// table[0] + row x table[1] + sum(index of dimension d x table[2 + d]).
double pattern_value(const Operation& op, std::size_t row, std::size_t column) {
  const std::vector<std::int64_t>& table = op.table();
  std::int64_t value = table[0] + static_cast<std::int64_t>(row) * table[1];
  std::size_t rest = column;
  for (std::uint32_t d = op.instruction.dst.dim_count; d-- > 0;) {
    const std::uint32_t num = op.instruction.dst.dims[d].num;
    value += static_cast<std::int64_t>(rest % num) * table[2 + d];
    rest /= num;
  }
  return static_cast<double>(value);
}

void generate(Operation& op) {
  const bool select = static_cast<GenerateKind>(op.instruction.kind) == GenerateKind::kAffineSelect;
  Values& to = op.result();
  for (std::size_t r = 0; r < to.rows; ++r)
    for (std::size_t c = 0; c < to.columns; ++c) {
      const double value = pattern_value(op, r, c);
      to(r, c) = !select                                  ? value
                 : alu(op.instruction.op0, value, 0) != 0 ? op.sources[0](r, c)
                                                          : static_cast<double>(op.instruction.imm0);
    }
}

double picked(const Values& from, std::size_t row, double index) {
  if (!(index >= 0) || index >= static_cast<double>(from.columns))
    throw ProgramError("GATH: index " + std::to_string(index) + " of " + std::to_string(from.columns));
  return from(row, static_cast<std::size_t>(index));
}

// local: the 16 partitions of a processor share a list, which runs over their partitions first.
void gather(Operation& op) {
  const bool local = static_cast<GatherKind>(op.instruction.kind) == GatherKind::kLocal;
  const Values& from = op.sources[0];
  const Values& indices = op.sources[1];
  Values& to = op.result();
  const std::size_t count = local ? 16 * indices.columns : indices.columns;
  const std::size_t width = std::max<std::size_t>(1, to.columns / count);
  for (std::size_t r = 0; r < to.rows; ++r)
    for (std::size_t c = 0; c < to.columns; ++c) {
      const std::size_t item = c / width;
      const double index = local ? indices(r / 16 * 16 + item % 16, item / 16) : indices(r, item);
      to(r, c) = picked(from, r, index * static_cast<double>(width) + static_cast<double>(c % width));
    }
}

void reduce_partitions(Operation& op) {
  const Values& from = op.sources[0];
  for (std::size_t c = 0; c < from.columns; ++c) {
    double sum = from(0, c);
    for (std::size_t r = 1; r < from.rows; ++r) sum = alu(op.instruction.op0, sum, from(r, c));
    op.result()(0, c) = sum;
  }
}

// First and last + 1 element of the run of equal ids an element is in; id 0 is padding: (n, -1).
void sequence_bounds(Operation& op) {
  const Values& ids = op.sources[0];
  const std::size_t n = ids.columns;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t first = c;
    std::size_t end = c + 1;
    while (first > 0 && ids(0, first - 1) == ids(0, c)) --first;
    while (end < n && ids(0, end) == ids(0, c)) ++end;
    const bool padding = ids(0, c) == 0;
    op.result()(0, c) = padding ? static_cast<double>(n) : static_cast<double>(first);
    op.result()(0, n + c) = padding ? -1 : static_cast<double>(end);
  }
}

// Indices of the non-zeros, -1 behind them, their count last.
void nonzero(Operation& op) {
  const Values& from = op.sources[0];
  Values& to = op.result();
  for (std::size_t r = 0; r < from.rows; ++r) {
    std::size_t found = 0;
    for (std::size_t c = 0; c + 1 < to.columns; ++c) to(r, c) = -1;
    for (std::size_t c = 0; c < from.columns; ++c)
      if (from(r, c) != 0 && found + 1 < to.columns) to(r, found++) = static_cast<double>(c);
    to(r, to.columns - 1) = static_cast<double>(found);
  }
}

// The largest of each row, as many as the result has columns, ascending.
void top_k(Operation& op) {
  const Values& from = op.sources[0];
  Values& to = op.result();
  for (std::size_t r = 0; r < from.rows; ++r) {
    const auto begin = from.at.begin() + static_cast<std::ptrdiff_t>(r * from.columns);
    std::vector<double> row(begin, begin + static_cast<std::ptrdiff_t>(from.columns));
    std::sort(row.begin(), row.end());
    for (std::size_t c = 0; c < to.columns; ++c) to(r, c) = row[row.size() - to.columns + c];
  }
}

void partition(Operation& op) {
  constexpr void (*kForms[])(Operation&) = {reduce_partitions, sequence_bounds, nonzero, top_k};
  kForms[op.instruction.kind](op);
}

}  // namespace

const std::vector<SemanticsRow>& gpsimd_semantics() {
  static const std::vector<SemanticsRow> kTable{
      {Opcode::kGenerate, generate}, {Opcode::kGather, gather}, {Opcode::kPartition, partition}};
  return kTable;
}

}  // namespace trn
