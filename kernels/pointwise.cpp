#include "kernels/pointwise.h"

#include <algorithm>
#include <cmath>

#include "kernels/row_block.h"

namespace trn {
namespace {

// 1/rms of each row into `inverse`, through a scratch row of squares.
void inverse_rms(const Block& block, View x, View scratch, View inverse, std::uint64_t width) {
  block.activation_with_sum(ActFn::kSquare, scratch, x);
  block.row_sum(inverse);
  block.activation(ActFn::kRsqrt, inverse, inverse, 1 / static_cast<double>(width), kNormEpsilon);
}

}  // namespace

namespace {

// Whole rows are held: how many fit beside the weight decides how far loads run ahead.
struct NormSlots {
  std::size_t inputs;
  std::size_t work;
};
NormSlots fit_norm(const CoreBuilder& b, std::uint64_t width, NormSlots wanted, NormSlots least) {
  constexpr std::uint64_t kSmall = 1024;  // row sums
  const std::uint64_t fits = (b.sbuf_free() - kSmall) / (width * size_of(DType::kBf16));
  NormSlots slots = wanted;
  while (slots.inputs + slots.work + 1 > fits && slots.inputs > least.inputs) --slots.inputs;
  while (slots.inputs + slots.work + 1 > fits && slots.work > least.work) --slots.work;
  return slots;
}

// The norm's tiles and the broadcast weight.
class NormTiles {
 public:
  NormTiles(CoreBuilder& b, Rows weight, std::uint64_t width, NormSlots slots)
      : in(b.sbuf_pool("norm_in", DType::kBf16, width, slots.inputs)),
        work(b.sbuf_pool("norm_work", DType::kBf16, width, slots.work)),
        small(b.sbuf_pool("norm_small", DType::kFp32, 1, 4)),
        gamma(b.sbuf_pool("norm_weight", DType::kBf16, width, 1).next()) {
    b.load(View::whole(gamma), {weight.tensor, weight.row, kRows, 0, width});
  }
  TilePool& in;
  TilePool& work;
  TilePool& small;
  Tile& gamma;
};

void normalize(const Block& block, NormTiles& tiles, View row, Rows y) {
  const View inverse = block.view(tiles.small.next());
  const View normal = block.view(tiles.work.next());
  inverse_rms(block, row, normal, inverse, y.tensor.columns);
  block.scale(normal, row, inverse);
  block.multiply(normal, normal, block.view(tiles.gamma));
  block.store(y, normal);
}

}  // namespace

void rmsnorm(CoreBuilder& b, Rows x, Rows weight, Rows y, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t width = y.tensor.columns;
  NormTiles tiles(b, weight, width, fit_norm(b, width, {2, 2}, {1, 1}));
  for_blocks(b, begin, end, width, width,
             [&](const Block& block) { normalize(block, tiles, block.load(tiles.in, x), y); });
}

void add_rmsnorm(CoreBuilder& b, Rows a, Rows other, Rows weight, Rows sum, Rows y, std::uint64_t begin,
                 std::uint64_t end) {
  const std::uint64_t width = y.tensor.columns;
  NormTiles tiles(b, weight, width, fit_norm(b, width, {4, 3}, {2, 1}));
  for_blocks(b, begin, end, width, width, [&](const Block& block) {
    const View left = block.load(tiles.in, a);
    const View right = block.load(tiles.in, other);
    block.add(left, left, right);
    block.store(sum, left);
    normalize(block, tiles, left, y);
  });
}

void rmsnorm_backward(CoreBuilder& b, Rows x, Rows weight, Rows dy, Rows skip, Rows dx, std::uint64_t begin,
                      std::uint64_t end) {
  const std::uint64_t width = dx.tensor.columns;
  NormTiles tiles(b, weight, width, fit_norm(b, width, {4, 3}, {3, 2}));
  for_blocks(b, begin, end, width, width, [&](const Block& block) {
    const View row = block.load(tiles.in, x);
    const View gradient = block.load(tiles.in, dy);
    const View bypass = block.load(tiles.in, skip);
    const View work = block.view(tiles.work.next());
    const View inverse = block.view(tiles.small.next());
    inverse_rms(block, row, work, inverse, width);
    // dx = skip + inverse * (g dy - x * mean(x g dy) * inverse^2)
    const View weighted = block.view(tiles.work.next());
    block.multiply(weighted, gradient, block.view(tiles.gamma));
    block.multiply(work, weighted, row);
    const View dot = block.view(tiles.small.next());
    block.vector(Opcode::kReduce, dot, {work}, AluOp::kAdd);
    block.combine(dot, dot, inverse, AluOp::kMultiply, 1 / static_cast<double>(width), AluOp::kMultiply);
    block.vector(Opcode::kTensorScalar, work, {row, dot, inverse}, AluOp::kMultiply, AluOp::kMultiply);
    block.vector(Opcode::kTensorTensor, work, {weighted, work}, AluOp::kSubtract);
    block.scale(work, work, inverse);
    block.add(work, work, bypass);
    block.store(dx, work);
  });
}

void add_rows(CoreBuilder& b, Rows a, Rows other, Rows out, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t chunk = std::min(kMaxChunk, a.tensor.columns);
  TilePool& in = b.sbuf_pool("add_in", DType::kBf16, chunk, 4);
  TilePool& sum = b.sbuf_pool("add_out", DType::kBf16, chunk, 2);
  for_blocks(b, begin, end, a.tensor.columns, chunk, [&](const Block& block) {
    const View x = block.load(in, a);
    const View y = block.load(in, other);
    const View total = block.view(sum.next());
    block.add(total, x, y);
    block.store(out, total);
  });
}

void swiglu(CoreBuilder& b, Rows gate_up, Rows act, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t width = act.tensor.columns;
  const std::uint64_t chunk = std::min(kMaxChunk, width);
  TilePool& in = b.sbuf_pool("swiglu_in", DType::kBf16, chunk, 4);
  TilePool& out = b.sbuf_pool("swiglu_out", DType::kBf16, chunk, 2);
  for (std::uint64_t column = 0; column < width; column += chunk) {
    const std::uint64_t count = std::min(chunk, width - column);
    for_blocks(b, begin, end, 1, 1, [&](const Block& block) {
      const View gate = block.load(in, gate_up, column, count);
      const View up = block.load(in, gate_up, width + column, count);
      const View y = block.view(out.next(), 0, count);
      block.activation(ActFn::kSilu, y, gate);
      block.multiply(y, y, up);
      block.store(act, y, column, count);
    });
  }
}

void swiglu_backward(CoreBuilder& b, Rows gate_up, Rows dact, Rows dgate_up, std::uint64_t begin,
                     std::uint64_t end) {
  const std::uint64_t width = dact.tensor.columns;
  const std::uint64_t chunk = std::min<std::uint64_t>(2048, width);
  TilePool& in = b.sbuf_pool("swiglu_in", DType::kBf16, chunk, 6);
  TilePool& out = b.sbuf_pool("swiglu_out", DType::kBf16, chunk, 4);
  for (std::uint64_t column = 0; column < width; column += chunk) {
    const std::uint64_t count = std::min(chunk, width - column);
    for_blocks(b, begin, end, 1, 1, [&](const Block& block) {
      const View gate = block.load(in, gate_up, column, count);
      const View up = block.load(in, gate_up, width + column, count);
      const View gradient = block.load(in, dact, column, count);
      const View dup = block.view(out.next(), 0, count);
      block.activation(ActFn::kSilu, dup, gate);
      block.multiply(dup, dup, gradient);
      block.store(dgate_up, dup, width + column, count);
      const View dgate = block.view(out.next(), 0, count);
      block.activation(ActFn::kSiluDerivative, dgate, gate);
      block.multiply(dgate, dgate, up);
      block.multiply(dgate, dgate, gradient);
      block.store(dgate_up, dgate, column, count);
    });
  }
}

void rope(CoreBuilder& b, Rows x, Rows cos_sin, Rows y, std::uint64_t heads, std::uint64_t head_dim,
          bool norm, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t width = heads * head_dim;
  const std::uint64_t half = head_dim / 2;
  TilePool& in = b.sbuf_pool("rope_in", DType::kBf16, width, 2);
  TilePool& work = b.sbuf_pool("rope_work", DType::kBf16, width, 2);
  TilePool& out = b.sbuf_pool("rope_out", DType::kBf16, width, 2);
  TilePool& tables = b.sbuf_pool("rope_table", DType::kBf16, 2 * head_dim, 2);
  TilePool& small = b.sbuf_pool("rope_small", DType::kFp32, heads, 2);
  const std::int64_t d = static_cast<std::int64_t>(head_dim);
  for_blocks(b, begin, end, width, width, [&](const Block& block) {
    Tile& x_tile = in.next();
    const View row = block.load(x_tile, x, 0, width);
    Tile& table = tables.next();
    block.load(table, cos_sin, 0, 2 * head_dim);
    const View turned = block.view(work.next());
    const View result = block.view(out.next());
    if (norm) {
      Tile& inverse = small.next();
      block.activation(ActFn::kSquare, turned, row);
      block.vector(Opcode::kReduce, block.view(inverse, 0, heads), {turned}, AluOp::kAdd);
      block.activation(ActFn::kRsqrt, block.view(inverse, 0, heads), block.view(inverse, 0, heads),
                       1 / static_cast<double>(head_dim), kNormEpsilon);
      block.multiply(row, row, block.shaped(inverse, 0, {{1, heads}, {0, head_dim}}));
    }
    // x cos + (halves swapped) x sin, the sine's sign being in its table; tables are broadcast over the
    // heads.
    block.multiply(turned, block.shaped(x_tile, half, {{d, heads}, {-d / 2, 2}, {1, half}}),
                   block.shaped(table, head_dim, {{0, heads}, {1, head_dim}}));
    block.multiply(result, row, block.shaped(table, 0, {{0, heads}, {1, head_dim}}));
    block.add(result, result, turned);
    block.store(y, result);
  });
}

void cross_entropy(CoreBuilder& b, Rows logits, Rows targets, Rows dlogits, std::uint64_t begin,
                   std::uint64_t end) {
  const std::uint64_t width = logits.tensor.columns;
  const std::uint64_t chunk = std::min(kMaxChunk, width);
  const std::uint64_t chunks = (width + chunk - 1) / chunk;
  TilePool& in = b.sbuf_pool("xent_in", DType::kBf16, chunk, 4);
  TilePool& out = b.sbuf_pool("xent_out", DType::kBf16, chunk, 2);
  TilePool& small = b.sbuf_pool("xent_small", DType::kFp32, 2 * chunks + 4, 2);
  TilePool& wanted = b.sbuf_pool("xent_target", DType::kInt32, 1, 2);
  Tile& places = b.sbuf_pool("xent_places", DType::kFp32, chunk, 1).next();
  Instruction count;
  count.table = b.table("places", {0, 0, 1});
  b.compute(Engine::kGpSimd, Opcode::kGenerate, View::whole(places), {}, count);
  for_blocks(b, begin, end, 1, 1, [&](const Block& block) {
    Tile& partial = small.next();
    const auto at = [&](std::uint64_t column) { return block.view(partial, column, 1); };
    const View maxima = block.view(partial, 0, chunks);  // of the chunks, negated
    const View sums = block.view(partial, chunks, chunks);
    const View bias = at(2 * chunks), total = at(2 * chunks + 1), place = at(2 * chunks + 2);
    block.vector(Opcode::kCopy, place, {block.load(wanted, targets, 0, 1)});
    std::uint64_t c = 0;
    for (std::uint64_t column = 0; column < width; column += chunk, ++c) {
      const std::uint64_t columns = std::min(chunk, width - column);
      const View x = block.load(in, logits, column, columns);
      block.negated_max(at(c), x);
      block.biased(ActFn::kExp, block.view(out.next(), 0, columns), x, at(c), RowReduce::kReset);
      block.row_sum(at(chunks + c));
    }
    // All chunks on the largest maximum: total = sum(sums * exp(max of the chunk - max)).
    block.vector(Opcode::kReduce, bias, {maxima}, AluOp::kMin);
    block.activate(ActFn::kExp, maxima, {maxima, bias}, -1, 0, RowReduce::kIdle);
    block.multiply(sums, sums, maxima);
    block.vector(Opcode::kReduce, total, {sums}, AluOp::kAdd);
    block.activation(ActFn::kLog, total, total);
    block.vector(Opcode::kTensorTensor, bias, {bias, total}, AluOp::kSubtract);
    for (std::uint64_t column = 0; column < width; column += chunk) {  // softmax - onehot
      const std::uint64_t columns = std::min(chunk, width - column);
      const View x = block.load(in, logits, column, columns);
      const View y = block.view(out.next(), 0, columns);
      block.biased(ActFn::kExp, y, x, bias);
      block.subtract_onehot(y, block.view(places, 0, columns), place);
      if (column + columns < width) block.add_immediate(place, -static_cast<double>(columns));
      block.store(dlogits, y, column, columns);
    }
  });
}

void embedding(CoreBuilder& b, Rows table, Rows out, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t width = out.tensor.columns;
  TilePool& rows = b.sbuf_pool("embedding", DType::kBf16, width, 4);
  for_blocks(b, begin, end, width, width,
             [&](const Block& block) { block.store(out, block.load(rows, table)); });
}

void adamw(CoreBuilder& b, const AdamState& s, std::uint64_t begin, std::uint64_t end) {
  TilePool& in = b.sbuf_pool("adam_in", DType::kFp32, kAdamColumns, 6);
  TilePool& work = b.sbuf_pool("adam_work", DType::kFp32, kAdamColumns, 2);
  TilePool& narrow = b.sbuf_pool("adam_narrow", DType::kBf16, kAdamColumns, 2);
  const AdamConstants& c = s.constants;
  for_blocks(b, begin, end, kAdamColumns, kAdamColumns, [&](const Block& block) {
    const View p = block.load(in, {s.master});
    const View m = block.load(in, {s.momentum});
    const View v = block.load(in, {s.variance});
    const View g = block.load(in, {s.gradient});
    const View t = block.view(work.next());
    block.activation(ActFn::kCopy, t, g, 1 - c.beta1);
    block.combine(m, m, t, AluOp::kMultiply, c.beta1, AluOp::kAdd);
    block.activation(ActFn::kSquare, t, g, std::sqrt(1 - c.beta2));
    block.combine(v, v, t, AluOp::kMultiply, c.beta2, AluOp::kAdd);
    block.activation(ActFn::kRsqrt, t, v, 1 / (1 - std::pow(c.beta2, c.step)), c.epsilon * c.epsilon);
    block.combine(t, t, m, AluOp::kMultiply, c.rate / (1 - std::pow(c.beta1, c.step)), AluOp::kMultiply);
    block.combine(p, p, t, AluOp::kMultiply, 1 - c.rate * c.decay, AluOp::kSubtract);
    const View parameter = block.view(narrow.next());
    block.activation(ActFn::kCopy, parameter, p);
    block.store({s.master}, p);
    block.store({s.momentum}, m);
    block.store({s.variance}, v);
    block.store({s.parameter}, parameter);
  });
}

}  // namespace trn
