#include "kernels/quantizer.h"

namespace trn {
namespace {

constexpr std::uint64_t kTransposeRows = 512;  // source rows a transposing transfer takes
constexpr std::uint64_t kMxValues = 4;

// `parts` runs of c columns from `first` on, `stride` apart.
View runs(Tile& tile, std::uint64_t first, std::uint64_t stride, std::uint64_t parts, std::uint64_t c,
          std::uint32_t rows) {
  if (parts == 1) return View::columns(tile, first, c, rows);
  return View::shaped(tile, first, {{static_cast<std::int64_t>(stride), parts}, {1, c}}, rows);
}

}  // namespace

double largest_number(DType dtype) {
  return dtype == DType::kFp8E5M2 ? 57344 : dtype == DType::kFp8E4M3Fn ? 448 : 240;
}

Quantizer::Quantizer(CoreBuilder& builder, DType to, std::uint64_t columns, std::size_t slots,
                     const Fp8Scaling& scaling)
    : b_(builder),
      to_(to),
      columns_(columns),
      scaling_(scaling),
      wide_(builder.sbuf_pool("quantize_in", DType::kBf16, columns * rows_a_partition(to, builder.machine()),
                              slots)),
      work_(builder.sbuf_pool("quantize_work", DType::kBf16,
                              columns * rows_a_partition(to, builder.machine()), slots)) {
  if (is_mx(to)) return;
  factor_ = &b_.sbuf_pool("quantize_factor", DType::kFp32, 3, 1).next();
  b_.load(View::columns(*factor_, 0, 2), {scaling.factors, scaling.row, 128, 0, 2});
  b_.compute(Engine::kVector, Opcode::kFill, View::columns(*factor_, 2, 1), {});
  numbers_ = &b_.sbuf_pool("quantize_numbers", DType::kFp32, 2, 1).next();
  b_.compute(Engine::kVector, Opcode::kFill, View::whole(*numbers_), {});
}

std::uint64_t Quantizer::sbuf_bytes(DType to, std::uint64_t columns, std::size_t slots,
                                    const MachineConfig& machine) {
  return 2 * slots * OperandPool::slot_bytes(DType::kBf16, columns * rows_a_partition(to, machine)) + 128;
}

void Quantizer::load(OperandTile to, std::uint64_t first, std::uint64_t stride, const QuantizeSource& from,
                     Span k, Span c) {
  const std::uint64_t parts = is_mx(to_) ? kMxValues : ceil_div(k.size, kSlabRows);
  const auto rows = static_cast<std::uint32_t>(k.size / parts);
  Tile& bf16 = wide_.next();
  fetch(bf16, from, k, c, parts);
  if (is_mx(to_))
    narrow_mx(to, first, bf16, rows, c);
  else
    narrow_fp8(runs(*to.values, first, stride, parts, c.size, rows), bf16, rows, c, parts);
}

void Quantizer::fetch(Tile& tile, const QuantizeSource& from, Span k, Span c, std::uint64_t parts) {
  const std::uint64_t rows = k.size / parts;
  if (!from.transposed) {
    b_.load(runs(tile, 0, columns_, parts, c.size, static_cast<std::uint32_t>(rows)),
            {from.tensor, from.row + k.begin, k.size, c.begin, c.size});
    return;
  }
  for (std::uint64_t part = 0; part < parts; ++part)
    for (const Span& p : pieces(c, kTransposeRows))
      b_.load_transposed(
          View::columns(tile, part * columns_ + p.begin - c.begin, p.size, static_cast<std::uint32_t>(rows)),
          {from.tensor, from.row + p.begin, p.size, k.begin + part * rows, rows});
}

void Quantizer::narrow_fp8(View to, Tile& bf16, std::uint32_t rows, Span c, std::uint64_t parts) {
  Tile& scaled = work_.next();
  const View from = runs(bf16, 0, columns_, parts, c.size, rows);
  const View product = runs(scaled, 0, columns_, parts, c.size, rows);
  Instruction scale;
  scale.fn = ActFn::kCopy;
  b_.compute(Engine::kScalar, Opcode::kActivation, product,
             {from, View::columns(*factor_, 2, 1, rows), View::columns(*factor_, 0, 1, rows)}, scale);
  const bool track = scaling_.largest.rows > 0;
  if (track) find_largest(from);
  Instruction clamp;
  clamp.op0 = AluOp::kMin;
  clamp.imm0 = static_cast<float>(largest_number(to_));
  clamp.op1 = AluOp::kMax;
  clamp.imm1 = -clamp.imm0;
  b_.compute(Engine::kVector, Opcode::kTensorScalar, to, {product}, clamp);
  if (track) keep_largest(rows);  // after the clamp, which the wait for the newest would hold up
}

void Quantizer::find_largest(View values) {
  Instruction reduce;
  reduce.op0 = AluOp::kAbsMax;
  b_.compute(Engine::kVector, Opcode::kReduce, View::columns(*numbers_, 1, 1, values.pattern.rows), {values},
             reduce);
}

void Quantizer::keep_largest(std::uint32_t rows) {
  const View most = View::columns(*numbers_, 0, 1, rows), now = View::columns(*numbers_, 1, 1, rows);
  Instruction larger;
  larger.op0 = AluOp::kMax;
  b_.compute(Engine::kVector, Opcode::kTensorTensor, most, {most, now}, larger);
}

void Quantizer::narrow_mx(OperandTile to, std::uint64_t first, Tile& bf16, std::uint32_t rows, Span c) {
  Tile& side_by_side = work_.next();
  const View four = View::columns(side_by_side, 0, kMxValues * c.size, rows);
  b_.compute(Engine::kScalar, Opcode::kCopy, four,
             {View::shaped(bf16, 0, {{1, c.size}, {static_cast<std::int64_t>(columns_), kMxValues}}, rows)});
  b_.quantize_mx(View::columns(*to.values, first, c.size, rows),
                 View::columns(*to.scales, first, c.size, rows), four);
}

void Quantizer::finish() {
  if (scaling_.largest.rows == 0) return;
  b_.store({scaling_.largest, scaling_.largest_row, 128, scaling_.largest_column, 1},
           View::columns(*numbers_, 0, 1));
}

}  // namespace trn
