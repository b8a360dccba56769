// Convolutions as shifted matmuls or shifted multiply-adds, and pooling: channels on partitions.
#include <algorithm>

#include "base/error.h"
#include "kernels/builder/rank_builder.h"
#include "kernels/registry.h"
#include "kernels/row_block.h"

namespace trn {
namespace {

// --- conv2d: every (kh, kw, 128 input channels) is a matmul on a shifted view of the input ---------------

struct ConvShape {
  std::uint64_t in, out, height, width, kernel, pool;

  std::uint64_t out_height() const { return height - kernel + 1; }
  std::uint64_t out_width() const { return width - kernel + 1; }
};

ConvShape conv_shape(const KernelArguments& given) {
  const ConvShape s{given.positive("in"),    given.positive("out"),    given.positive("height"),
                    given.positive("width"), given.positive("kernel"), given.positive("pool")};
  if (s.kernel > std::min(s.height, s.width))
    throw UsageError("kernel conv2d: --kernel is larger than the image");
  if (s.out_width() > 512) throw UsageError("kernel conv2d: rows of up to 512 results");
  if (s.out_height() % s.pool != 0 || s.out_width() % s.pool != 0)
    throw UsageError("kernel conv2d: --pool must divide the result's height and width");
  return s;
}

class Conv2d {
 public:
  Conv2d(CoreBuilder& b, const ConvShape& shape, HbmTensor x, HbmTensor w, HbmTensor y, DType dtype)
      : b_(b), s_(shape), x_(x), w_(w), y_(y), dtype_(dtype), slabs_((s_.in + 127) / 128) {}

  // Rows [begin, end) of the result.
  void run(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t taps = s_.kernel * s_.kernel;
    psum_ = &b_.psum_pool("conv_psum", DType::kFp32, 512, 4);
    const std::uint64_t at_once =
        std::max(s_.pool, 512 / s_.out_width() / s_.pool * s_.pool);  // result rows a tile
    out_ = &b_.sbuf_pool("conv_out", dtype_, at_once * s_.out_width() / s_.pool / s_.pool, 4);
    TilePool& weights = b_.sbuf_pool("conv_weights", dtype_, taps * s_.out, slabs_);
    for (std::uint64_t slab = 0; slab < slabs_; ++slab) {
      Tile& tile = weights.next();
      for (std::uint64_t tap = 0; tap < taps; ++tap)
        b_.load(View::columns(tile, tap * s_.out, s_.out, depth(slab)),
                {w_, tap * s_.in + 128 * slab, depth(slab), 0, s_.out});
      weights_.push_back(&tile);
    }
    const std::uint64_t band = 4 * at_once;  // result rows whose input is held at once
    TilePool& bands = b_.sbuf_pool("conv_in", dtype_, (band + s_.kernel - 1) * s_.width, 2 * slabs_);
    for (std::uint64_t row = begin; row < end; row += band) {
      const std::uint64_t rows = std::min(band, end - row);
      std::vector<Tile*> input;
      for (std::uint64_t slab = 0; slab < slabs_; ++slab) {
        Tile& tile = bands.next();
        const std::uint64_t count = (rows + s_.kernel - 1) * s_.width;
        b_.load(View::columns(tile, 0, count, depth(slab)),
                {x_, 128 * slab, depth(slab), row * s_.width, count});
        input.push_back(&tile);
      }
      for (std::uint64_t r = 0; r < rows; r += at_once)
        for (std::uint64_t channel = 0; channel < s_.out; channel += 128)
          tile(input, row, r, std::min(at_once, rows - r), channel);
    }
  }

 private:
  std::uint32_t depth(std::uint64_t slab) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(128, s_.in - 128 * slab));
  }

  // `rows` result rows from `row` + `r` on, 128 channels.
  void tile(const std::vector<Tile*>& input, std::uint64_t row, std::uint64_t r, std::uint64_t rows,
            std::uint64_t channel) {
    const auto channels = static_cast<std::uint32_t>(std::min<std::uint64_t>(128, s_.out - channel));
    const std::uint64_t wide = s_.out_width();
    Tile& psum = psum_->next();
    const std::uint64_t steps = s_.kernel * s_.kernel * slabs_;
    std::uint64_t at = 0;
    for (std::uint64_t slab = 0; slab < slabs_; ++slab)
      for (std::uint64_t kh = 0; kh < s_.kernel; ++kh)
        for (std::uint64_t kw = 0; kw < s_.kernel; ++kw, ++at) {
          b_.load_weights(View::columns(*weights_[slab], (kh * s_.kernel + kw) * s_.out + channel, channels,
                                        depth(slab)));
          b_.matmul(View::columns(psum, 0, rows * wide, channels),
                    View::shaped(*input[slab], (r + kh) * s_.width + kw,
                                 {{static_cast<std::int64_t>(s_.width), rows}, {1, wide}}, depth(slab)),
                    at > 0, at + 1 == steps);
        }
    Tile& out = out_->next();
    const std::uint64_t count = rows * wide / s_.pool / s_.pool;
    const View to = View::columns(out, 0, count, channels);
    if (s_.pool == 1) {
      b_.compute(Engine::kVector, Opcode::kCopy, to, {View::columns(psum, 0, count, channels)});
    } else {
      const auto step = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
      Instruction largest;
      largest.op0 = AluOp::kMax;
      b_.compute(Engine::kVector, Opcode::kReduce, to,
                 {View::shaped(psum, 0,
                               {{step(wide * s_.pool), rows / s_.pool},
                                {step(s_.pool), wide / s_.pool},
                                {step(wide), s_.pool},
                                {1, s_.pool}},
                               channels)},
                 largest);
    }
    b_.store({y_, channel, channels, (row + r) * wide / s_.pool / s_.pool, count}, to);
  }

  CoreBuilder& b_;
  ConvShape s_;
  HbmTensor x_, w_, y_;
  DType dtype_;
  std::uint64_t slabs_;
  TilePool *psum_ = nullptr, *out_ = nullptr;
  std::vector<Tile*> weights_;
};

Program build_conv2d(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const ConvShape s = conv_shape(given);
  const DType dtype = given.dtype("dtype");
  RankBuilder rank(machine, "conv2d", cores);
  const HbmTensor x = rank.hbm("x", dtype, s.in, s.height * s.width),
                  w = rank.hbm("w", dtype, s.kernel * s.kernel * s.in, s.out),
                  y = rank.hbm("y", dtype, s.out, s.out_height() * s.out_width() / s.pool / s.pool);
  rank.kernel("conv2d", s.out_height(), s.pool,
              [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
                Conv2d(core, s, x, w, y, dtype).run(begin, end);
              });
  rank.program().model_flops = 2 * s.in * s.out * s.kernel * s.kernel * s.out_height() * s.out_width();
  return rank.take();
}

Matrices expect_conv2d(const KernelArguments& given, const Matrices& m) {
  const ConvShape s = conv_shape(given);
  const Matrix &x = m.at("x"), &w = m.at("w");
  const auto result = [&](std::uint64_t o, std::uint64_t row, std::uint64_t column) {
    double sum = 0;
    for (std::uint64_t kh = 0; kh < s.kernel; ++kh)
      for (std::uint64_t kw = 0; kw < s.kernel; ++kw)
        for (std::uint64_t i = 0; i < s.in; ++i)
          sum += x(i, (row + kh) * s.width + column + kw) * w((kh * s.kernel + kw) * s.in + i, o);
    return sum;
  };
  const std::uint64_t wide = s.out_width() / s.pool;
  return {{"y", filled(s.out, s.out_height() / s.pool * wide, [&](std::uint64_t o, std::uint64_t at) {
             double largest = -1e300;
             for (std::uint64_t r = 0; r < s.pool; ++r)
               for (std::uint64_t c = 0; c < s.pool; ++c)
                 largest = std::max(largest, result(o, at / wide * s.pool + r, at % wide * s.pool + c));
             return largest;
           })}};
}

// --- depthwise conv1d: a multiply-add on a shifted view for every tap --------------------------------------

Program build_conv1d(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t rows = given.positive("rows"), length = given.positive("length"),
                      taps = given.positive("taps");
  if (taps > length) throw UsageError("kernel conv1d: --taps is longer than --length");
  const DType dtype = given.dtype("dtype");
  const std::uint64_t out_length = length - taps + 1;
  RankBuilder rank(machine, "conv1d", cores);
  const Rows x{rank.hbm("x", dtype, rows, length)}, w{rank.hbm("w", DType::kFp32, rows, taps)},
      y{rank.hbm("y", dtype, rows, out_length)};
  rank.kernel("conv1d", rows, kRows, [&](CoreBuilder& b, std::uint64_t begin, std::uint64_t end) {
    TilePool& in = b.sbuf_pool("conv_in", dtype, length, 2);
    TilePool& weights = b.sbuf_pool("conv_weights", DType::kFp32, taps, 2);
    TilePool& out = b.sbuf_pool("conv_out", dtype, out_length, 2);
    for_blocks(b, begin, end, 1, 1, [&](const Block& block) {
      Tile &row = in.next(), &factors = weights.next();
      block.load(row, x, 0, length);
      block.load(factors, w, 0, taps);
      const View sum = block.view(out.next(), 0, out_length);
      block.scale(sum, block.view(row, 0, out_length), block.view(factors, 0, 1));
      for (std::uint64_t t = 1; t < taps; ++t)
        block.vector(Opcode::kScalarTensorTensor, sum,
                     {block.view(row, t, out_length), sum, block.view(factors, t, 1)}, AluOp::kMultiply,
                     AluOp::kAdd);
      block.store(y, sum, 0, out_length);
    });
  });
  return rank.take();
}

// --- pooling: windows of size x size next to each other ----------------------------------------------------

Program build_pool(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t rows = given.positive("rows"), height = given.positive("height"),
                      width = given.positive("width"), size = given.positive("size");
  if (height % size != 0 || width % size != 0)
    throw UsageError("kernel pool2d: --size must divide --height and --width");
  const DType dtype = given.dtype("dtype");
  const bool average = given.choice("op", {"max", "average"}) == 1;
  RankBuilder rank(machine, "pool2d", cores);
  const std::uint64_t count = height / size * (width / size);
  const Rows x{rank.hbm("x", dtype, rows, height * width)}, y{rank.hbm("y", dtype, rows, count)};
  rank.kernel("pool2d", rows, kRows, [&](CoreBuilder& b, std::uint64_t begin, std::uint64_t end) {
    TilePool& in = b.sbuf_pool("pool_in", dtype, height * width, 2);
    TilePool& out = b.sbuf_pool("pool_out", dtype, count, 2);
    const auto step = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
    for_blocks(b, begin, end, 1, 1, [&](const Block& block) {
      Tile& row = in.next();
      block.load(row, x, 0, height * width);
      const View to = block.view(out.next(), 0, count);
      block.vector(Opcode::kReduce, to,
                   {block.shaped(row, 0,
                                 {{step(width * size), height / size},
                                  {step(size), width / size},
                                  {step(width), size},
                                  {1, size}})},
                   average ? AluOp::kAdd : AluOp::kMax);
      if (average) block.activation(ActFn::kCopy, to, to, 1 / static_cast<double>(size * size));
      block.store(y, to, 0, count);
    });
  });
  return rank.take();
}

Matrices expect_pool(const KernelArguments& given, const Matrices& m) {
  const Matrix& x = m.at("x");
  const std::uint64_t width = given.positive("width"), size = given.positive("size");
  const std::uint64_t wide = width / size;
  const bool average = given.text("op") == "average";
  return {
      {"y", filled(x.rows, given.positive("height") / size * wide, [&](std::uint64_t r, std::uint64_t at) {
         double sum = 0;
         double largest = -1e300;
         for (std::uint64_t i = 0; i < size; ++i)
           for (std::uint64_t j = 0; j < size; ++j) {
             const double value = x(r, (at / wide * size + i) * width + at % wide * size + j);
             sum += value;
             largest = std::max(largest, value);
           }
         return average ? sum / static_cast<double>(size * size) : largest;
       })}};
}

}  // namespace

std::vector<KernelRow> convolution_kernels() {
  return {{"conv2d",
           "y = conv(x, w), valid, stride 1, and max pooling",
           {{"in", "256", "input channels"},
            {"out", "256", "output channels"},
            {"height", "224", "of x"},
            {"width", "224", "of x"},
            {"kernel", "3", "taps each way"},
            {"pool", "1", "window of the max pooling"},
            {"dtype", "fp16", "of x, w and y"}},
           build_conv2d,
           {{{{"in", "150"}, {"out", "140"}, {"height", "12"}, {"width", "14"}},
             {{"in", "128"},
              {"out", "128"},
              {"height", "34"},
              {"width", "18"},
              {"pool", "2"},
              {"dtype", "fp32"}}},
            {},
            expect_conv2d}},
          {"conv1d",
           "depthwise: every row has taps of its own",
           {{"rows", "4096", "batch x channels"},
            {"length", "2048", "of a row"},
            {"taps", "3", "a row"},
            {"dtype", "fp32", "of x and y"}},
           build_conv1d,
           {{{{"rows", "200"}, {"length", "301"}, {"taps", "4"}}},
            {},
            [](const KernelArguments&, const Matrices& m) {
              const Matrix &x = m.at("x"), &w = m.at("w");
              return Matrices{
                  {"y", filled(x.rows, x.columns - w.columns + 1, [&](std::uint64_t r, std::uint64_t c) {
                     double sum = 0;
                     for (std::uint64_t t = 0; t < w.columns; ++t) sum += x(r, c + t) * w(r, t);
                     return sum;
                   })}};
            }}},
          {"pool2d",
           "max or average of windows next to each other",
           {{"rows", "128", "batch x channels"},
            {"height", "56", "of an image"},
            {"width", "56", "of an image"},
            {"size", "2", "of a window"},
            {"op", "max", "max or average"},
            {"dtype", "fp32", "of x and y"}},
           build_pool,
           {{{{"rows", "130"}, {"height", "12"}, {"width", "9"}, {"size", "3"}},
             {{"rows", "64"}, {"height", "8"}, {"width", "8"}, {"size", "4"}, {"op", "average"}}},
            {},
            expect_pool}}};
}

}  // namespace trn
