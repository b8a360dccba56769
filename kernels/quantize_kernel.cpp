// bf16 rows into fp8, a factor a row.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "kernels/builder/rank_builder.h"
#include "kernels/quantizer.h"
#include "kernels/registry.h"
#include "kernels/row_block.h"

namespace trn {
namespace {

constexpr float kLeastMagnitude = 1e-12F;  // of a row: one of zeros keeps a factor

DType narrow(const KernelArguments& given) {
  const DType dtype = given.dtype("dtype");
  if (!is_fp8(dtype)) throw UsageError("kernel quantize: --dtype must be an fp8 type");
  return dtype;
}

Program build_quantize(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t rows = given.positive("rows"), columns = given.positive("columns");
  const DType dtype = narrow(given);
  RankBuilder rank(machine, "quantize", cores);
  const Rows x{rank.hbm("x", DType::kBf16, rows, columns)}, y{rank.hbm("y", dtype, rows, columns)},
      scales{rank.hbm("scales", DType::kFp32, rows, 1)};
  rank.kernel("quantize", rows, kRows, [&](CoreBuilder& b, std::uint64_t begin, std::uint64_t end) {
    TilePool& in = b.sbuf_pool("quantize_in", DType::kBf16, columns, 3);
    TilePool& out = b.sbuf_pool("quantize_out", dtype, columns, 3);
    TilePool& small = b.sbuf_pool("quantize_small", DType::kFp32, 2, 4);
    for_blocks(b, begin, end, columns, columns, [&](const Block& block) {
      const View row = block.load(in, x);
      Tile& factors = small.next();
      const View scale = block.view(factors, 0, 1), inverse = block.view(factors, 1, 1);
      block.vector(Opcode::kReduce, scale, {row}, AluOp::kAbsMax);
      Instruction to_scale;
      to_scale.op0 = AluOp::kMax;
      to_scale.imm0 = kLeastMagnitude;
      to_scale.op1 = AluOp::kMultiply;
      to_scale.imm1 = static_cast<float>(1 / largest_number(dtype));
      b.compute(Engine::kVector, Opcode::kTensorScalar, scale, {scale}, to_scale);
      block.vector(Opcode::kReciprocal, inverse, {scale});
      const View result = block.view(out.next());
      block.scale(result, row, inverse);
      block.store(y, result);
      block.store(scales, scale, 0, 1);
    });
  });
  return rank.take();
}

Matrices expected_quantize(const KernelArguments& given, const Matrices& m) {
  const Matrix& x = m.at("x");
  Matrix y(x.rows, x.columns), scales(x.rows, 1);
  for (std::uint64_t r = 0; r < x.rows; ++r) {
    double largest = kLeastMagnitude;
    for (std::uint64_t c = 0; c < x.columns; ++c) largest = std::max(largest, std::fabs(x(r, c)));
    scales(r, 0) = largest / largest_number(narrow(given));
    for (std::uint64_t c = 0; c < x.columns; ++c) y(r, c) = x(r, c) / scales(r, 0);
  }
  return {{"y", y}, {"scales", scales}};
}

}  // namespace

KernelRow quantize_kernel() {
  return {
      "quantize",
      "bf16 rows into fp8 and a factor a row",
      {{"rows", "4096", "rows"}, {"columns", "4096", "elements of a row"}, {"dtype", "fp8_e4m3", "of y"}},
      build_quantize,
      {{{{"rows", "200"}, {"columns", "301"}}, {{"rows", "128"}, {"columns", "512"}, {"dtype", "fp8_e5m2"}}},
       {},
       expected_quantize}};
}

}  // namespace trn
