#include "kernels/gemm.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "kernels/span.h"

namespace trn {
namespace {

constexpr std::uint64_t kTileM = 128;
constexpr std::uint64_t kTileN = 512;
constexpr std::uint64_t kTileK = 128;
constexpr std::uint64_t kStreamTiles = 4;  // tiles of C in flight: half of the PSUM banks, the others drain
constexpr std::uint64_t kBlockM = kStreamTiles * kTileM;
constexpr std::size_t kStreamSlots = 12;  // slabs of B on their way and in use
// Of B in the stream order: all of K stays for the block's passes, and the next columns' first slabs come.
constexpr std::size_t stream_slots(std::size_t slabs, std::uint64_t passes) {
  return passes == 1 ? kStreamSlots : slabs + std::min(slabs, kStreamSlots / 2);
}
// Slabs of A on their way to be quantised; one of MX is four times as large.
constexpr std::size_t quantize_slots(DType dtype) { return is_mx(dtype) ? 2 : 3; }
constexpr std::uint64_t kTransposeRows = 512;  // source rows a transposing transfer takes

// Slabs of K: two planes of 128 rows for each instruction in double-row mode, as far as whole ones go.
std::vector<Span> slabs(std::uint64_t k, std::uint64_t planes) {
  const std::uint64_t paired = k / (planes * kTileK) * planes * kTileK;
  std::vector<Span> out = pieces({0, paired}, planes * kTileK);
  for (const Span& rest : pieces({paired, k - paired}, kTileK)) out.push_back(rest);
  return out;
}

View part(Tile& tile, std::uint64_t column, std::uint64_t columns, std::uint64_t rows) {
  return View::columns(tile, column, columns, static_cast<std::uint32_t>(rows));
}

OperandView part(OperandTile tile, std::uint64_t column, std::uint64_t columns, std::uint64_t rows) {
  OperandView view{part(*tile.values, column, columns, rows), {}};
  if (tile.scales != nullptr) view.scales = part(*tile.scales, column, columns, rows);
  return view;
}

// FP8 double row: each PE multiplies two rows of K a cycle (aws-neuron-sdk, trainium2_arch.rst). The DMA
// engines do not transpose elements of one byte.
std::uint64_t planes_of(const GemmOperands& x, const MachineConfig& machine) {
  const bool pairs = is_fp8(x.dtype) && (x.quantize_a || !x.a_transposed) && !x.b_transposed;
  return pairs ? rows_a_partition(x.dtype, machine) : 1;
}

class Gemm {
 public:
  Gemm(CoreBuilder& builder, const GemmOperands& operands, const GemmOptions& options, Span m)
      : b_(builder),
        x_(operands),
        options_(options),
        m_(m),
        n_{0, operands.n},
        planes_(planes_of(operands, builder.machine())),
        k_(slabs(operands.k / info(operands.dtype).values, planes_)) {}

  void run() {
    const std::size_t mark = b_.mark();
    if (x_.rescales()) load_rescale();
    psum_ = &b_.psum_pool("gemm_psum", DType::kFp32, kTileN, 2 * kStreamTiles);
    // The blocked orders store whole rows of their blocks.
    const bool wide = options_.order == GemmOrder::kBlockMn || options_.order == GemmOrder::kBlockMnk;
    out_ = &b_.sbuf_pool("gemm_out", x_.c_dtype, wide ? std::min(options_.n_tiles * kTileN, n_.size) : kTileN,
                         4);
    switch (options_.order) {
      case GemmOrder::kInner:
        inner();
        break;
      case GemmOrder::kHoistK:
        hoist_k();
        break;
      case GemmOrder::kBlockMn:
        block_mn();
        break;
      case GemmOrder::kBlockMnk:
        block_mnk();
        break;
      case GemmOrder::kStream:
        stream();
        break;
    }
    b_.release(mark);
  }

 private:
  // --- pieces every order is made of ---------------------------------------------------------------
  // Columns of a slab in SBUF; its planes lie `stride` apart.
  static OperandView slab(OperandTile tile, std::uint64_t column, std::uint64_t columns, Span k,
                          std::uint64_t stride) {
    if (k.size <= kTileK) return part(tile, column, columns, k.size);
    return {
        View::shaped(*tile.values, column, {{static_cast<std::int64_t>(stride), 2}, {1, columns}}, kTileK),
        {}};
  }
  // Of a tile that holds one slab.
  OperandView slab(OperandTile tile, std::uint64_t column, std::uint64_t columns, Span k) const {
    return slab(tile, column, columns, k, tile.values->columns / planes_);
  }
  // Of a tile of A that holds many, 128 columns wide: the k-th.
  OperandView slab_of(OperandTile tile, std::size_t at, Span k, Span m) const {
    return slab(tile, at * planes_ * kTileM, m.size, k, kTileM);
  }

  void load_a(OperandView to, Span k, Span m) {
    load(to.values, x_.a, x_.a_row, x_.a_transposed, k, m);
    if (to.scales.tile != nullptr) load(to.scales, x_.a_scales, 0, false, k, m);
  }
  void load_b(OperandView to, Span k, Span n) {
    load(to.values, x_.b, x_.b_row, x_.b_transposed, k, n);
    if (to.scales.tile != nullptr) load(to.scales, x_.b_scales, 0, false, k, n);
  }

  void load(View to, const HbmTensor& tensor, std::uint64_t row, bool transposed, Span k, Span columns) {
    if (transposed)
      b_.load_transposed(to, {tensor, row + columns.begin, columns.size, k.begin, k.size});
    else
      b_.load(to, {tensor, row + k.begin, k.size, columns.begin, columns.size});
  }

  // [k, columns] of A or B into the first columns of a tile: one transfer, or one a sub-tile.
  void load_rows(OperandTile tile, bool is_a, Span k, Span columns, std::uint64_t sub_tile) {
    const bool transposed = is_a ? x_.a_transposed : x_.b_transposed;
    const std::uint64_t row = transposed ? kTransposeRows : columns.size;
    for (const Span& p : pieces(columns, options_.load == GemmLoad::kRow ? row : std::min(row, sub_tile))) {
      const OperandView to = slab(tile, p.begin - columns.begin, p.size, k);
      is_a ? load_a(to, k, p) : load_b(to, k, p);
    }
  }

  void step(Tile& psum, OperandView stationary, OperandView moving, std::size_t k, std::size_t count, Span m,
            Span n) {
    const View sum = part(psum, 0, n.size, m.size);
    if (stationary.scales.tile != nullptr) {
      b_.load_weights_mx(stationary.values, stationary.scales);
      b_.matmul_mx(sum, moving.values, moving.scales, k > 0, k + 1 == count);
      return;
    }
    const bool double_row = stationary.values.pattern.elements_per_row() == 2 * m.size;
    b_.load_weights(stationary.values, double_row);
    b_.matmul(sum, moving.values, k > 0, k + 1 == count, double_row);
  }

  // What the products of FP8 values are multiplied with: the inverses of both factors.
  void load_rescale() {
    TilePool& pool = b_.sbuf_pool("gemm_rescale", DType::kFp32, 2, 2);
    Tile &a = pool.next(), &b = pool.next();
    b_.load(View::whole(a), {x_.a_scaling.factors, x_.a_scaling.row, 128, 0, 2});
    b_.load(View::whole(b), {x_.b_scaling.factors, x_.b_scaling.row, 128, 0, 2});
    rescale_ = &a;
    Instruction multiply;
    multiply.op0 = AluOp::kMultiply;
    const View inverse = View::columns(a, 1, 1);
    b_.compute(Engine::kVector, Opcode::kTensorTensor, inverse, {inverse, View::columns(b, 1, 1)}, multiply);
  }
  void rescale(View to, View from) {
    Instruction multiply;
    multiply.op0 = AluOp::kMultiply;
    b_.compute(Engine::kVector, Opcode::kTensorScalar, to,
               {from, View::columns(*rescale_, 1, 1, to.pattern.rows)}, multiply);
  }

  // PSUM -> SBUF in C's dtype, `column` columns into the tile.
  void drain(Tile& psum, Tile& out, Span m, Span n, std::uint64_t column) {
    const View to = part(out, column, n.size, m.size), from = part(psum, 0, n.size, m.size);
    if (rescale_ != nullptr)
      rescale(to, from);
    else
      b_.compute(Engine::kVector, Opcode::kCopy, to, {from});
  }
  // ... and on to HBM.
  void drain(Tile& psum, Span m, Span n) {
    Tile& out = out_->next();
    drain(psum, out, m, n, 0);
    store(out, m, n);
  }

  void store(Tile& out, Span m, Span n) {
    b_.store({x_.c, x_.c_row + m.begin, m.size, n.begin, n.size}, part(out, 0, n.size, m.size));
  }

  std::size_t slots_that_fit(std::uint64_t columns, std::size_t wanted) const {
    const std::size_t fits = std::min(b_.sbuf_free() / OperandPool::slot_bytes(x_.dtype, columns),
                                      b_.semaphores_free() / (is_mx(x_.dtype) ? 2 : 1));
    return std::max<std::size_t>(1, std::min(wanted, fits));
  }

  // Slots for a loop of `turns`: a count that divides the turns, or that they divide, keeps the program
  // periodic, so that it folds into loops. The smallest such from `wanted` on that fits; what fits of
  // `wanted` if none does.
  std::size_t even_slots(std::uint64_t columns, std::size_t wanted, std::size_t turns) const {
    const std::size_t most = slots_that_fit(columns, 2 * wanted);
    for (std::size_t slots = wanted; slots <= most; ++slots)
      if (turns % slots == 0 || slots % turns == 0) return slots;
    return std::min(wanted, most);
  }

  // --- the orders ------------------------------------------------------------------------------------
  void inner() {
    OperandPool a(b_, "gemm_a", x_.dtype, planes_ * kTileM, 8);
    OperandPool b(b_, "gemm_b", x_.dtype, planes_ * kTileN, 8);
    for (const Span& m : pieces(m_, kTileM)) {
      for (const Span& n : pieces(n_, kTileN)) {
        Tile& psum = psum_->next();
        for (std::size_t k = 0; k < k_.size(); ++k) {
          const OperandView wa = slab(a.next(), 0, m.size, k_[k]);
          const OperandView xb = slab(b.next(), 0, n.size, k_[k]);
          load_a(wa, k_[k], m);
          load_b(xb, k_[k], n);
          step(psum, wa, xb, k, k_.size(), m, n);
        }
        drain(psum, m, n);
      }
    }
  }

  void hoist_k() {
    const std::uint64_t width = planes_ * kTileN;
    OperandPool a(b_, "gemm_a", x_.dtype, planes_ * kTileM * k_.size(), 2);
    OperandPool b(b_, "gemm_b", x_.dtype, width, slots_that_fit(width, 2 * k_.size()));
    for (const Span& m : pieces(m_, kTileM)) {
      const OperandTile wa = a.next();
      for (std::size_t k = 0; k < k_.size(); ++k) load_a(slab_of(wa, k, k_[k], m), k_[k], m);
      for (const Span& n : pieces(n_, kTileN)) {
        Tile& psum = psum_->next();
        for (std::size_t k = 0; k < k_.size(); ++k) {
          const OperandView xb = slab(b.next(), 0, n.size, k_[k]);
          load_b(xb, k_[k], n);
          step(psum, slab_of(wa, k, k_[k], m), xb, k, k_.size(), m, n);
        }
        drain(psum, m, n);
      }
    }
  }

  void block_mn() {
    const std::uint64_t mb = std::min(options_.m_tiles * kTileM, m_.size);
    const std::uint64_t nb = std::min(options_.n_tiles * kTileN, n_.size);
    OperandPool a(b_, "gemm_a", x_.dtype, planes_ * mb, k_.size());
    OperandPool b(b_, "gemm_b", x_.dtype, planes_ * nb,
                  std::max(k_.size(), slots_that_fit(planes_ * nb, 2 * k_.size())));
    for (const Span& m : pieces(m_, mb)) {
      std::vector<OperandTile> wa;
      for (const Span& n : pieces(n_, nb)) {
        std::vector<OperandTile> xb;
        for (const Span& k : k_) {
          if (wa.size() < k_.size()) {
            wa.push_back(a.next());
            load_rows(wa.back(), true, k, m, kTileM);
          }
          xb.push_back(b.next());
          load_rows(xb.back(), false, k, n, kTileN);
        }
        multiply_block(wa, xb, m, n);
      }
    }
  }

  void multiply_block(const std::vector<OperandTile>& wa, const std::vector<OperandTile>& xb, Span m,
                      Span n) {
    for (const Span& tm : pieces(m, kTileM)) {
      Tile& out = out_->next();
      for (const Span& tn : pieces(n, kTileN)) {
        Tile& psum = psum_->next();
        for (std::size_t k = 0; k < k_.size(); ++k)
          step(psum, slab(wa[k], tm.begin - m.begin, tm.size, k_[k]),
               slab(xb[k], tn.begin - n.begin, tn.size, k_[k]), k, k_.size(), tm, tn);
        drain(psum, out, tm, tn, tn.begin - n.begin);
      }
      store(out, tm, n);
    }
  }

  // A is loaded a column of tiles at a time, so that a column is freed, and refilled, as soon as it is used.
  void block_mnk() {
    const std::uint64_t mb = std::min(options_.m_tiles * kTileM, m_.size);
    const std::uint64_t nb = std::min(options_.n_tiles * kTileN, n_.size);
    const std::uint64_t kb = std::min<std::uint64_t>(ceil_div(options_.k_tiles, planes_), k_.size());
    const std::size_t m_count = ceil_div(mb, kTileM);
    const bool whole_k = kb == k_.size();
    TilePool* sums = whole_k ? nullptr : &b_.sbuf_pool("gemm_sum", DType::kFp32, nb, m_count);
    OperandPool b(b_, "gemm_b", x_.dtype, planes_ * nb,
                  std::max<std::size_t>(kb, slots_that_fit(planes_ * nb, 2 * kb)));
    const std::uint64_t column = planes_ * kTileM * kb;
    OperandPool a(b_, "gemm_a", x_.dtype, column,
                  std::max<std::size_t>(2, even_slots(column, m_count + 4, m_count)));
    for (const Span& n : pieces(n_, nb)) {
      for (const Span& m : pieces(m_, mb)) {
        std::vector<Tile*> sum(m_count);
        for (std::size_t i = 0; i < m_count && sums != nullptr; ++i) sum[i] = &sums->next();
        for (std::size_t k0 = 0; k0 < k_.size(); k0 += kb)
          multiply_k_block(a, b, sum, k0, std::min<std::size_t>(kb, k_.size() - k0), m, n);
      }
    }
  }

  void multiply_k_block(OperandPool& a, OperandPool& b, const std::vector<Tile*>& sum, std::size_t k0,
                        std::size_t count, Span m, Span n) {
    std::vector<OperandTile> xb;
    for (std::size_t k = 0; k < count; ++k) {
      xb.push_back(b.next());
      load_rows(xb.back(), false, k_[k0 + k], n, kTileN);
    }
    std::size_t row = 0;
    for (const Span& tm : pieces(m, kTileM)) {
      const OperandTile wa = a.next();
      load_column(wa, k0, count, tm);
      const bool last = k0 + count == k_.size();
      Tile* out = last ? &out_->next() : nullptr;
      for (const Span& tn : pieces(n, kTileN)) {
        Tile& psum = psum_->next();
        for (std::size_t k = 0; k < count; ++k)
          step(psum, slab_of(wa, k, k_[k0 + k], tm), slab(xb[k], tn.begin - n.begin, tn.size, k_[k0 + k]), k,
               count, tm, tn);
        if (sum[row] == nullptr)
          drain(psum, *out, tm, tn, tn.begin - n.begin);
        else
          accumulate(*sum[row], psum, k0 == 0, out, tm, tn, tn.begin - n.begin);
      }
      if (last) store(*out, tm, n);
      ++row;
    }
  }

  // `count` slabs of A side by side in one tile: one transfer when they are whole.
  void load_column(OperandTile wa, std::size_t k0, std::size_t count, Span m) {
    const Span rows{k_[k0].begin, k_[k0 + count - 1].end() - k_[k0].begin};
    if (options_.load == GemmLoad::kRow && !x_.a_transposed && rows.size == count * planes_ * kTileK &&
        m.size == kTileM) {
      load_a(part(wa, 0, count * planes_ * kTileM, kTileK), rows, m);
      return;
    }
    for (std::size_t k = 0; k < count; ++k) load_a(slab_of(wa, k, k_[k0 + k], m), k_[k0 + k], m);
  }

  // Adds a partial sum; the last one goes to `out`.
  void accumulate(Tile& sum, Tile& psum, bool first, Tile* out, Span m, Span n, std::uint64_t column) {
    const View partial = part(psum, 0, n.size, m.size);
    const View total = part(sum, column, n.size, m.size);
    Instruction add;
    add.op0 = AluOp::kAdd;
    if (first)
      b_.compute(Engine::kVector, Opcode::kCopy, total, {partial});
    else
      b_.compute(Engine::kVector, Opcode::kTensorTensor,
                 out == nullptr ? total : part(*out, column, n.size, m.size), {partial, total}, add);
    if (out != nullptr && rescale_ != nullptr) {
      const View result = part(*out, column, n.size, m.size);
      rescale(result, result);
    }
  }

  // B's rows are used once, by all tiles of the block, and make room at once: nothing of B needs to stay.
  void stream() {
    const std::uint64_t block = std::min(options_.passes * kBlockM, m_.size);
    const std::uint64_t width = planes_ * std::min(kTileN, n_.size);
    std::optional<Quantizer> quantizer;
    if (x_.quantize_a)
      quantizer.emplace(b_, x_.dtype, std::min(kBlockM, block), quantize_slots(x_.dtype), x_.a_scaling);
    OperandPool b(b_, "gemm_b", x_.dtype, width,
                  options_.passes == 1 ? even_slots(width, kStreamSlots, k_.size())
                                       : stream_slots(k_.size(), options_.passes));
    const std::size_t slots = std::max(k_.size(), slots_that_fit(planes_ * block, 2 * k_.size()));
    OperandPool a(b_, "gemm_a", x_.dtype, planes_ * block, slots);
    if (x_.quantize_a) a.clear_scales(b_);
    std::vector<OperandTile> next;
    for (const Span& m : pieces(m_, block)) {
      std::vector<OperandTile> wa = std::move(next);
      next.clear();
      for (const Span& n : pieces(n_, kTileN)) {
        stream_columns(a, b, wa, m, n, quantizer);
        // Vector and Scalar quantise the next block's A under this one's products, spread over its columns.
        const std::size_t due = (slots - k_.size()) * std::min(n.end(), n_.size) / n_.size;
        while (quantizer && m.end() < m_.end() && next.size() < due)
          next.push_back(fetch_a(a, next.size(), {m.end(), std::min(block, m_.end() - m.end())}, quantizer));
      }
    }
    if (quantizer) quantizer->finish();
  }

  OperandTile fetch_a(OperandPool& a, std::size_t k, Span m, std::optional<Quantizer>& quantizer) {
    const OperandTile tile = a.next();
    if (!quantizer) {
      load_rows(tile, true, k_[k], m, kTileM);
      return tile;
    }
    for (const Span& piece : pieces(m, kBlockM))
      quantizer->load(tile, piece.begin - m.begin, tile.values->columns / planes_,
                      {x_.a, x_.a_row, x_.a_transposed}, values_of(k_[k]), piece);
    return tile;
  }

  // The block's tiles of C in columns n. The first columns of a block also load what is missing of A, the
  // first pass loads B.
  void stream_columns(OperandPool& a, OperandPool& b, std::vector<OperandTile>& wa, Span m, Span n,
                      std::optional<Quantizer>& quantizer) {
    std::vector<OperandTile> xb;
    for (const Span& pass : pieces(m, kBlockM)) {
      const std::vector<Span> rows = pieces(pass, kTileM);
      std::vector<Tile*> psum;
      for (std::size_t r = 0; r < rows.size(); ++r) psum.push_back(&psum_->next());
      for (std::size_t k = 0; k < k_.size(); ++k) {
        if (wa.size() <= k) wa.push_back(fetch_a(a, k, m, quantizer));
        if (xb.size() <= k) {
          xb.push_back(b.next());
          load_rows(xb[k], false, k_[k], n, kTileN);
        }
        for (std::size_t r = 0; r < rows.size(); ++r)
          step(*psum[r], slab(wa[k], rows[r].begin - m.begin, rows[r].size, k_[k]),
               slab(xb[k], 0, n.size, k_[k]), k, k_.size(), rows[r], n);
      }
      for (std::size_t r = 0; r < rows.size(); ++r) drain(*psum[r], rows[r], n);
    }
  }

  Span values_of(Span k) const {
    const std::uint64_t values = info(x_.dtype).values;
    return {k.begin * values, k.size * values};
  }

  CoreBuilder& b_;
  const GemmOperands& x_;
  const GemmOptions& options_;
  Span m_;
  Span n_;
  std::uint64_t planes_;  // of a slab of K
  std::vector<Span> k_;
  TilePool* psum_ = nullptr;
  TilePool* out_ = nullptr;
  Tile* rescale_ = nullptr;  // in its second column
};

}  // namespace

GemmOperands gemm_operands(HbmTensor a, HbmTensor b, HbmTensor c, DType dtype, DType c_dtype) {
  GemmOperands x;
  x.a = a;
  x.b = b;
  x.c = c;
  x.dtype = dtype;
  x.c_dtype = c_dtype;
  x.m = a.columns;
  x.k = a.rows;
  x.n = b.columns;
  return x;
}

void gemm(CoreBuilder& builder, const GemmOperands& operands, const GemmOptions& options,
          std::uint64_t m_begin, std::uint64_t m_end) {
  const bool blocked = options.order != GemmOrder::kInner && options.order != GemmOrder::kHoistK;
  TRN_CHECK(!operands.quantize_a || options.order == GemmOrder::kStream, "this order quantises nothing");
  TRN_CHECK(blocked || !(operands.a_transposed || operands.b_transposed),
            "this order takes no transposed operands");
  if (m_begin < m_end) Gemm(builder, operands, options, {m_begin, m_end - m_begin}).run();
}

namespace {

constexpr std::uint64_t kOtherTiles = 4096;  // small tiles, and what rounding to slots takes

std::uint64_t slab_count(const GemmOperands& x, const MachineConfig& machine) {
  return ceil_div(x.k / info(x.dtype).values, planes_of(x, machine) * kTileK);
}
std::uint64_t slab_bytes(const GemmOperands& x, std::uint64_t columns, const MachineConfig& machine) {
  return OperandPool::slot_bytes(x.dtype, planes_of(x, machine) * columns);
}
std::uint64_t out_bytes(const GemmOperands& x, std::uint64_t columns) {
  return 4 * columns * size_of(x.c_dtype) + kOtherTiles;
}

}  // namespace

std::uint64_t stream_bytes(const GemmOperands& x, std::uint64_t passes, const MachineConfig& machine) {
  const std::uint64_t quantizer =
      x.quantize_a ? Quantizer::sbuf_bytes(x.dtype, kBlockM, quantize_slots(x.dtype), machine) : 0;
  const std::uint64_t slabs = slab_count(x, machine);
  return slabs * slab_bytes(x, passes * kBlockM, machine) +
         stream_slots(slabs, passes) * slab_bytes(x, kTileN, machine) + out_bytes(x, kTileN) + quantizer;
}

std::uint64_t block_bytes(const GemmOperands& x, const GemmOptions& options, const MachineConfig& machine) {
  return slab_count(x, machine) * (slab_bytes(x, options.m_tiles * kTileM, machine) +
                                   slab_bytes(x, options.n_tiles * kTileN, machine)) +
         out_bytes(x, options.n_tiles * kTileN);
}

GemmElements gemm_elements(std::uint64_t m, std::uint64_t k, std::uint64_t n, const GemmOptions& options) {
  const std::uint64_t m_tiles = ceil_div(m, kTileM);
  const std::uint64_t n_tiles = ceil_div(n, kTileN);
  switch (options.order) {
    case GemmOrder::kInner:
      return {k * m * n_tiles, k * n * m_tiles};
    case GemmOrder::kHoistK:
      return {k * m, k * n * m_tiles};
    case GemmOrder::kBlockMn:
      return {k * m, k * n * ceil_div(m_tiles, options.m_tiles)};
    case GemmOrder::kBlockMnk:
      return {k * m * ceil_div(n_tiles, options.n_tiles), k * n * ceil_div(m_tiles, options.m_tiles)};
    case GemmOrder::kStream:
      break;
  }
  return {k * m, k * n * ceil_div(m_tiles, kStreamTiles * options.passes)};
}

std::uint64_t gemm_elements_read(std::uint64_t m, std::uint64_t k, std::uint64_t n,
                                 const GemmOptions& options) {
  const GemmElements read = gemm_elements(m, k, n, options);
  return read.a + read.b;
}

}  // namespace trn
