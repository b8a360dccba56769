// Kernels along the row: additions, activations, softmax, layernorm, running sums.
#include <cmath>

#include "base/error.h"
#include "kernels/builder/rank_builder.h"
#include "kernels/registry.h"
#include "kernels/row_block.h"

namespace trn {
namespace {

using Sizes = std::vector<std::map<std::string, std::string>>;

// A kernel of the rows of x into y, both of --dtype, `body` for a block of them.
using RowBody = std::function<void(CoreBuilder&, const KernelArguments&, Rows x, Rows y, std::uint64_t begin,
                                   std::uint64_t end)>;
KernelRow rows_kernel(const std::string& name, const std::string& summary, const std::string& columns,
                      std::vector<KernelArgument> more, const RowBody& body, const KernelProof& proof) {
  std::vector<KernelArgument> arguments{
      {"rows", "4096", "rows"}, {"columns", columns, "elements of a row"}, {"dtype", "bf16", "of x and y"}};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return {name, summary, arguments,
          [name, body](const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
            RankBuilder rank(machine, name, cores);
            const std::uint64_t rows = given.positive("rows"), width = given.positive("columns");
            const Rows x{rank.hbm("x", given.dtype("dtype"), rows, width)};
            const Rows y{rank.hbm("y", given.dtype("dtype"), rows, width)};
            rank.kernel(name, rows, kRows, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
              body(core, given, x, y, b, e);
            });
            return rank.take();
          },
          proof};
}

// y(r, c) from x alone.
KernelProof proof(const Sizes& cases, const std::function<double(const KernelArguments&, const Matrix& x,
                                                                 std::uint64_t r, std::uint64_t c)>& value) {
  return {cases, {}, [value](const KernelArguments& given, const Matrices& m) {
            const Matrix& x = m.at("x");
            return Matrices{{"y", filled(x.rows, x.columns, [&](std::uint64_t r, std::uint64_t c) {
                               return value(given, x, r, c);
                             })}};
          }};
}

// --- activation functions ----------------------------------------------------------------------------

ActFn function_of(const KernelArguments& given) {
  std::vector<std::string> names;
  for (const ActFnInfo& fn : kActFns) names.emplace_back(fn.name);
  return static_cast<ActFn>(given.choice("fn", names));
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double reference(ActFn fn, double x) {
  switch (fn) {
    case ActFn::kSilu:
      return x * sigmoid(x);
    case ActFn::kGelu:
      return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case ActFn::kSigmoid:
      return sigmoid(x);
    case ActFn::kExp:
      return std::exp(x);
    case ActFn::kTanh:
      return std::tanh(x);
    default:
      return std::nan("");
  }
}

void activate_rows(CoreBuilder& b, const KernelArguments& given, Rows x, Rows y, std::uint64_t begin,
                   std::uint64_t end) {
  const std::uint64_t width = x.tensor.columns;
  const std::uint64_t chunk = std::min(given.positive("tile"), width);
  const ActFn fn = function_of(given);
  const DType dtype = given.dtype("dtype");
  TilePool& in = b.sbuf_pool("act_in", dtype, chunk, 4);
  TilePool& out = b.sbuf_pool("act_out", dtype, chunk, 3);
  for_blocks(b, begin, end, width, chunk, [&](const Block& block) {
    const View to = block.view(out.next());
    block.activation(fn, to, block.load(in, x));
    block.store(y, to);
  });
}

KernelRow activation_kernel() {
  return rows_kernel(
      "activation", "y = fn(x) on the Scalar engine", "7168",
      {{"fn", "silu", "an activation function: trnsim list"}, {"tile", "2048", "columns a tile"}},
      activate_rows,
      proof({{{"rows", "200"}, {"columns", "301"}, {"fn", "silu"}},
             {{"rows", "130"}, {"columns", "3000"}, {"fn", "gelu"}, {"dtype", "fp32"}},
             {{"rows", "128"}, {"columns", "64"}, {"fn", "tanh"}}},
            [](const KernelArguments& given, const Matrix& x, std::uint64_t r, std::uint64_t c) {
              return reference(function_of(given), x(r, c));
            }));
}

// --- softmax -------------------------------------------------------------------------------------------

void softmax_rows(CoreBuilder& b, const KernelArguments& given, Rows x, Rows y, std::uint64_t begin,
                  std::uint64_t end) {
  const std::uint64_t width = x.tensor.columns;
  const DType dtype = given.dtype("dtype");
  TilePool& in = b.sbuf_pool("softmax_in", dtype, width, 2);
  TilePool& work = b.sbuf_pool("softmax_work", DType::kFp32, width, 1);
  TilePool& out = b.sbuf_pool("softmax_out", dtype, width, 2);
  TilePool& small = b.sbuf_pool("softmax_small", DType::kFp32, 2, 4);
  for_blocks(b, begin, end, width, width, [&](const Block& block) {
    const View row = block.load(in, x);
    Tile& sums = small.next();
    const View bias = block.view(sums, 0, 1), total = block.view(sums, 1, 1);
    const View exponentials = block.view(work.next());
    block.negated_max(bias, row);
    block.biased(ActFn::kExp, exponentials, row, bias, RowReduce::kReset);
    block.row_sum(total);
    block.vector(Opcode::kReciprocal, total, {total});
    const View result = block.view(out.next());
    block.scale(result, exponentials, total);
    block.store(y, result);
  });
}

KernelRow softmax_kernel() {
  return rows_kernel("softmax", "y = exp(x - max) / sum", "4096", {}, softmax_rows,
                     proof({{{"rows", "200"}, {"columns", "301"}}, {{"rows", "128"}, {"columns", "4096"}}},
                           [](const KernelArguments&, const Matrix& x, std::uint64_t r, std::uint64_t c) {
                             double sum = 0;
                             for (std::uint64_t k = 0; k < x.columns; ++k) sum += std::exp(x(r, k));
                             return std::exp(x(r, c)) / sum;
                           }));
}

// --- layernorm -----------------------------------------------------------------------------------------

void layernorm_rows(CoreBuilder& b, const KernelArguments& given, Rows x, Rows y, std::uint64_t begin,
                    std::uint64_t end) {
  const std::uint64_t width = x.tensor.columns;
  const DType dtype = given.dtype("dtype");
  TilePool& in = b.sbuf_pool("norm_in", dtype, width, 3);
  TilePool& out = b.sbuf_pool("norm_out", dtype, width, 2);
  TilePool& small = b.sbuf_pool("norm_small", DType::kFp32, moment_columns(width), 3);
  for_blocks(b, begin, end, width, width, [&](const Block& block) {
    Tile& tile = in.next();
    const View row = block.load(tile, x, 0, width);
    const Moments moments = row_moments(block, tile, width, small.next());
    const View result = block.view(out.next());
    block.vector(Opcode::kTensorScalar, result, {row, moments.mean, moments.inverse}, AluOp::kSubtract,
                 AluOp::kMultiply);
    block.store(y, result);
  });
}

KernelRow layernorm_kernel() {
  return rows_kernel("layernorm", "y = (x - mean) / sqrt(variance + eps)", "5120", {}, layernorm_rows,
                     proof({{{"rows", "300"}, {"columns", "1000"}, {"dtype", "fp32"}},
                            {{"rows", "128"}, {"columns", "601"}}},
                           [](const KernelArguments&, const Matrix& x, std::uint64_t r, std::uint64_t c) {
                             const double n = static_cast<double>(x.columns);
                             double mean = 0;
                             double variance = 0;
                             for (std::uint64_t k = 0; k < x.columns; ++k) mean += x(r, k) / n;
                             for (std::uint64_t k = 0; k < x.columns; ++k)
                               variance += (x(r, k) - mean) * (x(r, k) - mean) / n;
                             return (x(r, c) - mean) / std::sqrt(variance + kNormEpsilon);
                           }));
}

// --- running sums --------------------------------------------------------------------------------------

void cumsum_rows(CoreBuilder& b, const KernelArguments& given, Rows x, Rows y, std::uint64_t begin,
                 std::uint64_t end) {
  const std::uint64_t width = x.tensor.columns;
  const DType dtype = given.dtype("dtype");
  TilePool& in = b.sbuf_pool("cumsum_in", dtype, width, 2);
  TilePool& out = b.sbuf_pool("cumsum_out", dtype, width, 2);
  Instruction sum;
  sum.op0 = AluOp::kAdd;
  sum.op1 = AluOp::kAdd;
  for_blocks(b, begin, end, width, width, [&](const Block& block) {
    const View to = block.view(out.next());
    b.compute(Engine::kVector, Opcode::kCumulate, to, {block.load(in, x)}, sum);
    block.store(y, to);
  });
}

KernelRow cumsum_kernel() {
  return rows_kernel("cumsum", "running sum along the row", "2048", {}, cumsum_rows,
                     proof({{{"rows", "200"}, {"columns", "301"}, {"dtype", "fp32"}},
                            {{"rows", "128"}, {"columns", "2048"}}},
                           [](const KernelArguments&, const Matrix& x, std::uint64_t r, std::uint64_t c) {
                             double sum = 0;
                             for (std::uint64_t k = 0; k <= c; ++k) sum += x(r, k);
                             return sum;
                           }));
}

// --- vector add ----------------------------------------------------------------------------------------

// `elements` numbers as 128 rows; a tile takes `tile` columns of them.
Program build_vector_add(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t columns = given.positive("elements") / kRows;
  if (columns * kRows != given.positive("elements"))
    throw UsageError("kernel vector_add: --elements must be a multiple of 128");
  RankBuilder rank(machine, "vector_add", cores);
  const DType dtype = given.dtype("dtype");
  const HbmTensor a = rank.hbm("a", dtype, kRows, columns), b = rank.hbm("b", dtype, kRows, columns),
                  out = rank.hbm("out", dtype, kRows, columns);
  const std::uint64_t tile = std::min(given.positive("tile"), columns);
  rank.kernel("vector_add", columns, tile, [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
    const std::size_t slots = given.positive("slots");
    TilePool& in = core.sbuf_pool("add_in", dtype, tile, 2 * slots);
    TilePool& sum = core.sbuf_pool("add_out", dtype, tile, slots);
    for (std::uint64_t column = begin; column < end; column += tile) {
      const Block block(core, 0, kRows, column, std::min(tile, end - column));
      const View x = block.load(in, {a}), y = block.load(in, {b}), total = block.view(sum.next());
      block.add(total, x, y);
      block.store({out}, total);
    }
  });
  return rank.take();
}

KernelRow vector_add_kernel() {
  return {
      "vector_add",
      "out = a + b on a vector laid out as 128 rows",
      {{"elements", "256000", "a multiple of 128"},
       {"tile", "2000", "columns a tile"},
       {"slots", "2", "tiles in flight"},
       {"dtype", "fp32", "of a, b and out"}},
      build_vector_add,
      {{{{"elements", "25600"}, {"tile", "1"}}, {{"elements", "25600"}, {"tile", "77"}, {"dtype", "bf16"}}},
       {},
       [](const KernelArguments&, const Matrices& m) {
         const Matrix &a = m.at("a"), &b = m.at("b");
         return Matrices{{"out", filled(a.rows, a.columns, [&](std::uint64_t r, std::uint64_t c) {
                            return a(r, c) + b(r, c);
                          })}};
       }}};
}

}  // namespace

std::vector<KernelRow> elementwise_kernels() {
  return {vector_add_kernel(), activation_kernel(), softmax_kernel(), layernorm_kernel(), cumsum_kernel()};
}

}  // namespace trn
