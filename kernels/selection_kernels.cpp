// Picking: the largest of a row, rows of a table.
#include <algorithm>

#include "base/error.h"
#include "kernels/builder/rank_builder.h"
#include "kernels/registry.h"
#include "kernels/row_block.h"

namespace trn {
namespace {

constexpr float kTaken = -1e30F;  // stands where a value was taken out

// Eight at a time: find them, take them out, find the next.
Program build_top_k(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t rows = given.positive("rows"), columns = given.positive("columns"),
                      k = given.positive("k");
  if (k % 8 != 0 || k > columns) throw UsageError("kernel topk: --k must be a multiple of 8 up to --columns");
  RankBuilder rank(machine, "topk", cores);
  const Rows x{rank.hbm("x", DType::kFp32, rows, columns)}, values{rank.hbm("values", DType::kFp32, rows, k)},
      places{rank.hbm("indices", DType::kUint32, rows, k)};
  rank.kernel("topk", rows, kRows, [&](CoreBuilder& b, std::uint64_t begin, std::uint64_t end) {
    TilePool& in = b.sbuf_pool("topk_in", DType::kFp32, columns, 2);
    TilePool& work = b.sbuf_pool("topk_work", DType::kFp32, columns, 2);
    TilePool& best = b.sbuf_pool("topk_values", DType::kFp32, k, 2);
    TilePool& where = b.sbuf_pool("topk_indices", DType::kUint32, k, 2);
    for_blocks(b, begin, end, columns, columns, [&](const Block& block) {
      const View row = block.load(in, x);
      const View left = block.view(work.next());
      Tile &found = best.next(), &at = where.next();
      block.vector(Opcode::kCopy, left, {row});
      for (std::uint64_t first = 0; first < k; first += 8) {
        const View eight = block.view(found, first, 8);
        block.vector(Opcode::kMax8, eight, {left});
        block.vector(Opcode::kFindIndex8, block.view(at, first, 8), {left, eight});
        Instruction take;
        take.imm0 = kTaken;
        b.compute(Engine::kVector, Opcode::kMatchReplace8, left, {left, eight}, take);
      }
      block.store(values, block.view(found, 0, k), 0, k);
      block.store(places, block.view(at, 0, k), 0, k);
    });
  });
  return rank.take();
}

Matrices expect_top_k(const KernelArguments& given, const Matrices& m) {
  const Matrix& x = m.at("x");
  const std::uint64_t k = given.positive("k");
  Matrix values(x.rows, k), places(x.rows, k);
  for (std::uint64_t r = 0; r < x.rows; ++r) {
    std::vector<std::uint64_t> order(x.columns);
    for (std::uint64_t c = 0; c < x.columns; ++c) order[c] = c;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint64_t a, std::uint64_t b) { return x(r, a) > x(r, b); });
    for (std::uint64_t c = 0; c < k; ++c)
      values(r, c) = x(r, order[c]), places(r, c) = static_cast<double>(order[c]);
  }
  return {{"values", values}, {"indices", places}};
}

Program build_gather(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  RankBuilder rank(machine, "embedding_gather", cores);
  const std::uint64_t rows = given.positive("rows"), columns = given.positive("columns");
  const HbmTensor table = rank.hbm("table", DType::kBf16, given.positive("vocabulary"), columns);
  const Rows tokens{rank.hbm("tokens", DType::kInt32, rows, 1)},
      out{rank.hbm("out", DType::kBf16, rows, columns)};
  rank.kernel("embedding_gather", rows, kRows, [&](CoreBuilder& b, std::uint64_t begin, std::uint64_t end) {
    TilePool& ids = b.sbuf_pool("gather_tokens", DType::kInt32, 1, 4);
    TilePool& picked = b.sbuf_pool("gather_rows", DType::kBf16, columns, 4);
    for_blocks(b, begin, end, columns, columns, [&](const Block& block) {
      const View at = block.load(ids, tokens, 0, 1);
      const View to = block.view(picked.next());
      b.gather(to, table, 0, at);
      block.store(out, to);
    });
  });
  return rank.take();
}

Matrices gather_inputs(const KernelArguments& given) {
  const std::uint64_t vocabulary = given.positive("vocabulary");
  return {{"tokens", filled(given.positive("rows"), 1, [&](std::uint64_t r, std::uint64_t) {
             return static_cast<double>(r * 7919 % vocabulary);
           })}};
}

}  // namespace

std::vector<KernelRow> selection_kernels() {
  return {
      {"topk",
       "the k largest of each row, descending, and where they are",
       {{"rows", "128", "rows"}, {"columns", "4096", "elements of a row"}, {"k", "8", "a multiple of 8"}},
       build_top_k,
       {{{{"rows", "130"}, {"columns", "100"}, {"k", "16"}},
         {{"rows", "128"}, {"columns", "2000"}, {"k", "32"}}},
        {},
        expect_top_k,
        0}},
      {"embedding_gather",
       "rows of a table by token, gathered by DMA",
       {{"rows", "4096", "tokens"},
        {"columns", "5120", "features"},
        {"vocabulary", "151936", "rows of the table"}},
       build_gather,
       {{{{"rows", "200"}, {"columns", "300"}, {"vocabulary", "1000"}}},
        gather_inputs,
        [](const KernelArguments&, const Matrices& m) {
          const Matrix &table = m.at("table"), &tokens = m.at("tokens");
          return Matrices{{"out", filled(tokens.rows, table.columns, [&](std::uint64_t r, std::uint64_t c) {
                             return table(static_cast<std::uint64_t>(tokens(r, 0)), c);
                           })}};
        },
        0}}};
}

}  // namespace trn
