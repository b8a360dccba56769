// The array: weights, products, transposes, MX.
#include <Eigen/Core>
#include <cmath>

#include "isa/semantics/number.h"
#include "isa/semantics/operation.h"

namespace trn {
namespace {

ArrayCell cell(const Instruction& i) { return {i.tile.row, i.tile.column}; }

// The e8m0 scale of a row's elements: 8 partitions share one, which lies in their quadrant of 32 partitions,
// the first 8 partitions' in its partition 0, the next ones' in 1, and so on.
std::size_t scale_row(std::size_t row) { return row / 32 * 32 + row % 32 / 8; }

void scale_lanes(Values& values, const Values& scales) {
  for (std::size_t r = 0; r < values.rows; ++r)
    for (std::size_t c = 0; c < values.columns; ++c) values(r, c) *= scales(scale_row(r), c / 4);
}

void load_weights(Operation& op) { op.registers.weights[cell(op.instruction)] = op.sources[0]; }

void load_weights_mx(Operation& op) {
  scale_lanes(op.sources[0], op.sources[1]);
  load_weights(op);
}

using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index rows_of(const Values& values) { return static_cast<Eigen::Index>(values.rows); }

// One plane of a double row, which has them side by side, or one lane of x4 elements.
Floats plane(const Values& values, std::size_t p, std::size_t planes, bool lanes_inside) {
  const std::size_t count = values.columns / planes;
  Floats out(rows_of(values), static_cast<Eigen::Index>(count));
  float* to = out.data();
  for (std::size_t r = 0; r < values.rows; ++r)
    for (std::size_t c = 0; c < count; ++c)
      *to++ = static_cast<float>(values(r, lanes_inside ? c * planes + p : p * count + c));
  return out;
}

// result[m][n] = sum over rows k and planes p of w[k][m of p] x[k][n of p], in fp32.
void multiply(Operation& op, std::size_t planes, bool lanes_inside) {
  const Values& moving = op.sources[0];
  const auto found = op.registers.weights.find(cell(op.instruction));
  if (found == op.registers.weights.end()) throw ProgramError("a matmul before any weights were loaded");
  const Values& weights = found->second;
  if (weights.rows != moving.rows)
    throw ProgramError("a matmul of " + std::to_string(moving.rows) + " rows with weights of " +
                       std::to_string(weights.rows));
  const std::size_t m_count = weights.columns / planes;
  const std::size_t n_count = moving.columns / planes;
  Values& result = op.result();
  if (result.rows > m_count || result.columns != n_count)
    throw ProgramError("a matmul of " + std::to_string(m_count) + " x " + std::to_string(n_count) + " into " +
                       std::to_string(result.rows) + " x " + std::to_string(result.columns));
  Floats sums = Floats::Zero(rows_of(result), static_cast<Eigen::Index>(n_count));
  for (std::size_t p = 0; p < planes; ++p)
    sums.noalias() += plane(weights, p, planes, lanes_inside).leftCols(rows_of(result)).transpose() *
                      plane(moving, p, planes, lanes_inside);
  for (std::size_t m = 0; m < result.rows; ++m)
    for (std::size_t n = 0; n < n_count; ++n)
      result(m, n) = static_cast<double>(sums(static_cast<Eigen::Index>(m), static_cast<Eigen::Index>(n)));
  op.writes[0].add = op.instruction.accumulate;
}

void matmul(Operation& op) { multiply(op, op.instruction.double_row ? 2 : 1, false); }

void matmul_mx(Operation& op) {
  scale_lanes(op.sources[0], op.sources[1]);
  multiply(op, 4, true);
}

// PE: the whole matrix; Vector: blocks of 32 x 32 where they stand.
void transpose(Operation& op) {
  const Values& from = op.sources[0];
  Values& to = op.result();
  const std::size_t block = op.engine == Engine::kTensor ? std::max(from.rows, from.columns) : 32;
  for (std::size_t r = 0; r < from.rows; ++r)
    for (std::size_t c = 0; c < from.columns; ++c) {
      const std::size_t row = op.engine == Engine::kTensor ? c : r / block * block + c % block;
      const std::size_t column = op.engine == Engine::kTensor ? r : c / block * block + r % block;
      if (row >= to.rows || column >= to.columns) throw ProgramError("a transpose leaves its destination");
      to(row, column) = from(r, c);
    }
}

// Groups of 8 partitions x 4 elements: scale = 2^(exponent of the largest - (largest exponent of the type -
// 1)).
void quantize_mx(Operation& op) {
  const Values& x = op.sources[0];
  const DType type = op.program.tensors[op.instruction.dst.tensor].dtype;
  const int top = type == DType::kFp4E2M1X4 ? 1 : type == DType::kFp8E5M2X4 ? 14 : 7;
  Effect::Write scales{op.instruction.src[1], Values(x.rows / 8, x.columns / 4), false, {}, {}};
  for (std::size_t g = 0; g < x.rows / 8; ++g) {
    scales.rows.push_back(op.instruction.src[1].row + static_cast<std::int64_t>(scale_row(8 * g)));
    for (std::size_t c = 0; c < x.columns; c += 4) {
      double largest = 0;
      for (std::size_t r = 8 * g; r < 8 * g + 8; ++r)
        for (std::size_t lane = 0; lane < 4; ++lane) largest = std::max(largest, std::fabs(x(r, c + lane)));
      int exponent = 0;
      std::frexp(largest, &exponent);
      const double scale = largest == 0 ? std::ldexp(1.0, -127) : std::ldexp(1.0, exponent - 1 - top);
      scales.values(g, c / 4) = scale;
      for (std::size_t r = 8 * g; r < 8 * g + 8; ++r)
        for (std::size_t lane = 0; lane < 4; ++lane) op.result()(r, c + lane) = x(r, c + lane) / scale;
    }
  }
  op.writes.push_back(std::move(scales));
}

}  // namespace

const std::vector<SemanticsRow>& tensor_semantics() {
  static const std::vector<SemanticsRow> kTable{
      {Opcode::kLoadWeights, load_weights},      {Opcode::kMatmul, matmul},
      {Opcode::kLoadWeightsMx, load_weights_mx}, {Opcode::kMatmulMx, matmul_mx},
      {Opcode::kTranspose, transpose},           {Opcode::kQuantizeMx, quantize_mx}};
  return kTable;
}

}  // namespace trn
