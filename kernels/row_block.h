// A block of rows in flight, 128 on partitions, and the instructions row kernels are written in.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "kernels/pointwise.h"

namespace trn {

inline constexpr std::uint64_t kRows = 128;       // partitions
inline constexpr std::uint64_t kMaxChunk = 4096;  // elements of a row held at once

// One block of rows and columns in flight.
class Block {
 public:
  Block(CoreBuilder& builder, std::uint64_t row, std::uint32_t rows, std::uint64_t column,
        std::uint64_t columns)
      : b_(builder), row_(row), rows_(rows), column_(column), columns_(columns) {}

  std::uint64_t row() const { return row_; }        // the first
  std::uint64_t column() const { return column_; }  // the first

  View view(Tile& tile) const { return View::columns(tile, 0, std::min(columns_, tile.columns), rows_); }
  View view(Tile& tile, std::uint64_t first, std::uint64_t count) const {
    return View::columns(tile, first, count, rows_);
  }

  View shaped(Tile& tile, std::uint64_t first, std::initializer_list<Dim> dims) const {
    return View::shaped(tile, first, dims, rows_);
  }

  View load(TilePool& pool, Rows from) const { return load(pool, from, column_, columns_); }
  View load(TilePool& pool, Rows from, std::uint64_t column, std::uint64_t columns) const {
    return load(pool.next(), from, column, columns);
  }
  View load(Tile& tile, Rows from, std::uint64_t column, std::uint64_t columns) const {
    const View to = View::columns(tile, 0, columns, rows_);
    b_.load(to, {from.tensor, from.row + row_, rows_, from.column + column, columns});
    return to;
  }
  void store(Rows to, View from) const { store(to, from, column_, columns_); }
  void store(Rows to, View from, std::uint64_t column, std::uint64_t columns) const {
    b_.store({to.tensor, to.row + row_, rows_, to.column + column, columns}, from);
  }

  void vector(Opcode opcode, View dst, const std::vector<View>& sources, AluOp op0 = AluOp::kNone,
              AluOp op1 = AluOp::kNone) const {
    Instruction i;
    i.op0 = op0;
    i.op1 = op1;
    b_.compute(Engine::kVector, opcode, dst, sources, i);
  }
  void multiply(View dst, View a, View b) const {
    vector(Opcode::kTensorTensor, dst, {a, b}, AluOp::kMultiply);
  }
  void add(View dst, View a, View b) const { vector(Opcode::kTensorTensor, dst, {a, b}, AluOp::kAdd); }
  void scale(View dst, View a, View by) const {
    vector(Opcode::kTensorScalar, dst, {a, by}, AluOp::kMultiply);
  }
  // (a op0 imm0) op1 b
  void combine(View dst, View a, View b, AluOp op0, double imm0, AluOp op1) const {
    Instruction i;
    i.op0 = op0;
    i.op1 = op1;
    i.imm0 = static_cast<float>(imm0);
    b_.compute(Engine::kVector, Opcode::kScalarTensorTensor, dst, {a, b}, i);
  }
  // fn(src * scale + bias); with row_sum also into the accumulators.
  void activation(ActFn fn, View dst, View src, double scale = 1, double bias = 0) const {
    activate(fn, dst, {src}, scale, bias, RowReduce::kIdle);
  }
  void activation_with_sum(ActFn fn, View dst, View src) const {
    activate(fn, dst, {src}, 1, 0, RowReduce::kReset);
  }
  // fn(src + bias), a bias a row.
  void biased(ActFn fn, View dst, View src, View bias, RowReduce reduce = RowReduce::kIdle) const {
    activate(fn, dst, {src, bias}, 1, 0, reduce);
  }
  void activate(ActFn fn, View dst, const std::vector<View>& sources, double scale, double bias,
                RowReduce reduce) const {
    Instruction i;
    i.fn = fn;
    i.imm0 = static_cast<float>(scale);
    i.imm1 = static_cast<float>(bias);
    i.row_reduce = reduce;
    b_.compute(Engine::kScalar, Opcode::kActivation, dst, sources, i);
  }
  void negated_max(View dst, View src) const {
    Instruction i;
    i.op0 = AluOp::kMax;
    i.reverse0 = true;
    b_.compute(Engine::kVector, Opcode::kReduce, dst, {src}, i);
  }
  void add_immediate(View x, double value) const {
    Instruction i;
    i.op0 = AluOp::kAdd;
    i.imm0 = static_cast<float>(value);
    b_.compute(Engine::kVector, Opcode::kTensorScalar, x, {x}, i);
  }
  void multiply_immediate(View x, double value) const {
    Instruction i;
    i.op0 = AluOp::kMultiply;
    i.imm0 = static_cast<float>(value);
    b_.compute(Engine::kVector, Opcode::kTensorScalar, x, {x}, i);
  }
  // y -= 1 where place equals the row's target.
  void subtract_onehot(View y, View places, View target) const {
    Instruction i;
    i.op0 = AluOp::kIsEqual;
    i.op1 = AluOp::kSubtract;
    i.reverse1 = true;
    b_.compute(Engine::kVector, Opcode::kScalarTensorTensor, y, {places, y, target}, i);
  }
  void row_sum(View dst) const { b_.compute(Engine::kScalar, Opcode::kReadAccumulator, dst, {}); }

 private:
  CoreBuilder& b_;
  std::uint64_t row_;
  std::uint32_t rows_;
  std::uint64_t column_;
  std::uint64_t columns_;
};

inline constexpr std::uint64_t kStatistics = 512;  // elements a BNS takes

// Mean and 1/sqrt(variance + eps) of each row of `tile`, in the last three columns of `sums`, which has
// moment_columns(width) of them.
struct Moments {
  View mean, inverse;
};
inline std::uint64_t moment_columns(std::uint64_t width) {
  return 6 * ((width + kStatistics - 1) / kStatistics) + 3;
}
inline Moments row_moments(const Block& block, Tile& tile, std::uint64_t width, Tile& sums) {
  const std::uint64_t all = moment_columns(width) - 3;
  for (std::uint64_t p = 0; p * kStatistics < width; ++p)
    block.vector(Opcode::kBnStats, block.view(sums, 6 * p, 6),
                 {block.view(tile, p * kStatistics, std::min(kStatistics, width - p * kStatistics))});
  const View mean = block.view(sums, all, 1), variance = block.view(sums, all + 1, 1);
  const View inverse = block.view(sums, all + 2, 1);
  block.vector(Opcode::kBnAggregate, block.view(sums, all, 2), {block.view(sums, 0, all)});
  block.activation(ActFn::kRsqrt, inverse, variance, 1, kNormEpsilon);
  return {mean, inverse};
}

// Runs `body` on every block of rows [begin, end) and chunk of columns.
inline void for_blocks(CoreBuilder& b, std::uint64_t begin, std::uint64_t end, std::uint64_t columns,
                       std::uint64_t chunk, const std::function<void(const Block&)>& body) {
  for (std::uint64_t row = begin; row < end; row += kRows)
    for (std::uint64_t column = 0; column < columns; column += chunk)
      body(Block(b, row, static_cast<std::uint32_t>(std::min(kRows, end - row)), column,
                 std::min(chunk, columns - column)));
}

}  // namespace trn
