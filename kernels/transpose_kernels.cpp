// y = transpose(x), by the array, by Vector, or in flight by DMA.
#include "base/error.h"
#include "kernels/builder/rank_builder.h"
#include "kernels/registry.h"

namespace trn {
namespace {

const std::vector<std::string> kWays{"tensor", "vector", "dma"};

View part(Tile& tile, std::uint64_t first, std::uint64_t columns, std::uint64_t rows) {
  return View::columns(tile, first, columns, static_cast<std::uint32_t>(rows));
}

struct Transpose {
  CoreBuilder& b;
  HbmTensor x, y;
  DType dtype;

  // Tiles of 128 x 128 through the array into PSUM, drained by the Scalar engine.
  void by_array(std::uint64_t begin, std::uint64_t end) {
    TilePool& in = b.sbuf_pool("transpose_in", dtype, 128, 4);
    TilePool& psum = b.psum_pool("transpose_psum", dtype, 128, 4);
    TilePool& out = b.sbuf_pool("transpose_out", dtype, 128, 4);
    for (std::uint64_t row = begin; row < end; row += 128)
      for (std::uint64_t column = 0; column < x.columns; column += 128) {
        const std::uint64_t rows = std::min<std::uint64_t>(128, end - row);
        const std::uint64_t columns = std::min<std::uint64_t>(128, x.columns - column);
        Tile &from = in.next(), &turned = psum.next(), &to = out.next();
        b.load(part(from, 0, columns, rows), {x, row, rows, column, columns});
        b.transpose(part(turned, 0, rows, columns), part(from, 0, columns, rows));
        Instruction copy;
        copy.imm0 = 1;
        b.compute(Engine::kScalar, Opcode::kActivation, part(to, 0, rows, columns),
                  {part(turned, 0, rows, columns)}, copy);
        b.store({y, column, columns, row, rows}, part(to, 0, rows, columns));
      }
  }

  // Blocks of 32 x 32 where they stand; stores put the blocks in their places.
  void by_vector(std::uint64_t begin, std::uint64_t end) {
    if (x.columns % 32 != 0 || (end - begin) % 32 != 0)
      throw UsageError("kernel transpose: --via vector needs multiples of 32");
    TilePool& in = b.sbuf_pool("transpose_in", dtype, 32, 8);
    TilePool& out = b.sbuf_pool("transpose_out", dtype, 32, 8);
    for (std::uint64_t row = begin; row < end; row += 32)
      for (std::uint64_t column = 0; column < x.columns; column += 32) {
        Tile &from = in.next(), &to = out.next();
        b.load(part(from, 0, 32, 32), {x, row, 32, column, 32});
        b.compute(Engine::kVector, Opcode::kTranspose, part(to, 0, 32, 32), {part(from, 0, 32, 32)});
        b.store({y, column, 32, row, 32}, part(to, 0, 32, 32));
      }
  }

  void by_dma(std::uint64_t begin, std::uint64_t end) {
    TilePool& tiles = b.sbuf_pool("transpose_tile", dtype, 512, 4);
    for (std::uint64_t row = begin; row < end; row += 512)
      for (std::uint64_t column = 0; column < x.columns; column += 128) {
        const std::uint64_t rows = std::min<std::uint64_t>(512, end - row);
        const std::uint64_t columns = std::min<std::uint64_t>(128, x.columns - column);
        Tile& tile = tiles.next();
        b.load_transposed(part(tile, 0, rows, columns), {x, row, rows, column, columns});
        b.store({y, column, columns, row, rows}, part(tile, 0, rows, columns));
      }
  }
};

Program build_transpose(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  RankBuilder rank(machine, "transpose", cores);
  const DType dtype = given.dtype("dtype");
  const std::uint64_t rows = given.positive("rows"), columns = given.positive("columns");
  const HbmTensor x = rank.hbm("x", dtype, rows, columns), y = rank.hbm("y", dtype, columns, rows);
  const std::size_t way = given.choice("via", kWays);
  rank.kernel("transpose", rows, 128, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
    Transpose kernel{core, x, y, dtype};
    way == 0 ? kernel.by_array(b, e) : way == 1 ? kernel.by_vector(b, e) : kernel.by_dma(b, e);
  });
  return rank.take();
}

}  // namespace

std::vector<KernelRow> transpose_kernels() {
  return {{"transpose",
           "y = transpose(x)",
           {{"rows", "1024", "of x"},
            {"columns", "1024", "of x"},
            {"dtype", "fp32", "of x and y"},
            {"via", "tensor", "tensor, vector or dma"}},
           build_transpose,
           {{{{"rows", "200"}, {"columns", "301"}},
             {{"rows", "256"}, {"columns", "160"}, {"via", "vector"}},
             {{"rows", "600"}, {"columns", "200"}, {"via", "dma"}, {"dtype", "bf16"}}},
            {},
            [](const KernelArguments&, const Matrices& m) {
              const Matrix& x = m.at("x");
              return Matrices{{"y", filled(x.columns, x.rows,
                                           [&](std::uint64_t r, std::uint64_t c) { return x(c, r); })}};
            },
            0}}};
}

}  // namespace trn
