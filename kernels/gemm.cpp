#include "kernels/gemm.h"

#include <algorithm>

#include "base/error.h"

namespace trn {
namespace {

constexpr std::uint64_t kTileM = 128;
constexpr std::uint64_t kTileN = 512;
constexpr std::uint64_t kTileK = 128;
constexpr std::uint64_t kStreamTiles = 4;  // tiles of C in flight: half of the PSUM banks, the others drain
constexpr std::uint64_t kTransposeRows = 512;  // source rows a transposing transfer takes

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

// A piece [begin, begin + size) of a dimension.
struct Piece {
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t end() const { return begin + size; }
};

std::vector<Piece> pieces(Piece whole, std::uint64_t step) {
  std::vector<Piece> out;
  for (std::uint64_t at = whole.begin; at < whole.end(); at += step)
    out.push_back({at, std::min(step, whole.end() - at)});
  return out;
}

// Slabs of K: two planes of 128 rows for each instruction in double-row mode, as far as whole ones go.
std::vector<Piece> slabs(std::uint64_t k, std::uint64_t planes) {
  const std::uint64_t paired = k / (planes * kTileK) * planes * kTileK;
  std::vector<Piece> out = pieces({0, paired}, planes * kTileK);
  for (const Piece& rest : pieces({paired, k - paired}, kTileK)) out.push_back(rest);
  return out;
}

View part(Tile& tile, std::uint64_t column, std::uint64_t columns, std::uint64_t rows) {
  return View::columns(tile, column, columns, static_cast<std::uint32_t>(rows));
}

class Gemm {
 public:
  Gemm(CoreBuilder& builder, const GemmOperands& operands, const GemmOptions& options, Piece m)
      : b_(builder),
        x_(operands),
        options_(options),
        m_(m),
        n_{0, operands.n},
        planes_(double_row(builder, operands) ? 2 : 1),
        k_(slabs(operands.k, planes_)) {}

  void run() {
    const std::size_t mark = b_.mark();
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
  // FP8 double row: each PE multiplies two rows of K a cycle (aws-neuron-sdk, trainium2_arch.rst).
  static bool double_row(const CoreBuilder& builder, const GemmOperands& x) {
    return is_fp8(x.dtype) && builder.machine().core.tensor.fp8_double_row && !x.a_transposed &&
           !x.b_transposed;
  }

  // --- pieces every order is made of ---------------------------------------------------------------
  // Columns of a slab in SBUF; its planes lie `stride` apart.
  static View slab(Tile& tile, std::uint64_t column, std::uint64_t columns, Piece k, std::uint64_t stride) {
    if (k.size <= kTileK) return part(tile, column, columns, k.size);
    return View::shaped(tile, column, {{static_cast<std::int64_t>(stride), 2}, {1, columns}}, kTileK);
  }
  // Of a tile that holds one slab.
  View slab(Tile& tile, std::uint64_t column, std::uint64_t columns, Piece k) const {
    return slab(tile, column, columns, k, tile.columns / planes_);
  }
  // Of a tile of A that holds many, 128 columns wide: the k-th.
  View slab_of(Tile& tile, std::size_t at, Piece k, Piece m) const {
    return slab(tile, at * planes_ * kTileM, m.size, k, kTileM);
  }

  void load_a(View to, Piece k, Piece m) { load(to, x_.a, x_.a_row, x_.a_transposed, k, m); }
  void load_b(View to, Piece k, Piece n) { load(to, x_.b, x_.b_row, x_.b_transposed, k, n); }

  void load(View to, const HbmTensor& tensor, std::uint64_t row, bool transposed, Piece k, Piece columns) {
    if (transposed)
      b_.load_transposed(to, {tensor, row + columns.begin, columns.size, k.begin, k.size});
    else
      b_.load(to, {tensor, row + k.begin, k.size, columns.begin, columns.size});
  }

  // [k, columns] of A or B into the first columns of a tile: one transfer, or one a sub-tile.
  void load_rows(Tile& tile, bool is_a, Piece k, Piece columns, std::uint64_t sub_tile) {
    const bool transposed = is_a ? x_.a_transposed : x_.b_transposed;
    const std::uint64_t row = transposed ? kTransposeRows : columns.size;
    for (const Piece& p : pieces(columns, options_.load == GemmLoad::kRow ? row : std::min(row, sub_tile))) {
      const View to = slab(tile, p.begin - columns.begin, p.size, k);
      is_a ? load_a(to, k, p) : load_b(to, k, p);
    }
  }

  void step(Tile& psum, View stationary, View moving, std::size_t k, std::size_t count, Piece m, Piece n) {
    const bool double_row = stationary.pattern.elements_per_row() == 2 * m.size;
    b_.load_weights(stationary, double_row);
    b_.matmul(part(psum, 0, n.size, m.size), moving, k > 0, k + 1 == count, double_row);
  }

  // PSUM -> SBUF in C's dtype, `column` columns into the tile.
  void drain(Tile& psum, Tile& out, Piece m, Piece n, std::uint64_t column) {
    b_.compute(Engine::kVector, Opcode::kCopy, part(out, column, n.size, m.size),
               {part(psum, 0, n.size, m.size)});
  }
  // ... and on to HBM.
  void drain(Tile& psum, Piece m, Piece n) {
    Tile& out = out_->next();
    drain(psum, out, m, n, 0);
    store(out, m, n);
  }

  void store(Tile& out, Piece m, Piece n) {
    b_.store({x_.c, x_.c_row + m.begin, m.size, n.begin, n.size}, part(out, 0, n.size, m.size));
  }

  std::size_t slots_that_fit(std::uint64_t columns, std::size_t wanted) const {
    const std::uint64_t slot_bytes = (columns * size_of(x_.dtype) + 63) / 64 * 64;
    return std::max<std::size_t>(1, std::min<std::size_t>(wanted, b_.sbuf_free() / slot_bytes));
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
    TilePool& a = b_.sbuf_pool("gemm_a", x_.dtype, planes_ * kTileM, 8);
    TilePool& b = b_.sbuf_pool("gemm_b", x_.dtype, planes_ * kTileN, 8);
    for (const Piece& m : pieces(m_, kTileM)) {
      for (const Piece& n : pieces(n_, kTileN)) {
        Tile& psum = psum_->next();
        for (std::size_t k = 0; k < k_.size(); ++k) {
          const View wa = slab(a.next(), 0, m.size, k_[k]);
          const View xb = slab(b.next(), 0, n.size, k_[k]);
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
    TilePool& a = b_.sbuf_pool("gemm_a", x_.dtype, planes_ * kTileM * k_.size(), 2);
    TilePool& b = b_.sbuf_pool("gemm_b", x_.dtype, width, slots_that_fit(width, 2 * k_.size()));
    for (const Piece& m : pieces(m_, kTileM)) {
      Tile& wa = a.next();
      for (std::size_t k = 0; k < k_.size(); ++k) load_a(slab_of(wa, k, k_[k], m), k_[k], m);
      for (const Piece& n : pieces(n_, kTileN)) {
        Tile& psum = psum_->next();
        for (std::size_t k = 0; k < k_.size(); ++k) {
          const View xb = slab(b.next(), 0, n.size, k_[k]);
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
    TilePool& a = b_.sbuf_pool("gemm_a", x_.dtype, planes_ * mb, k_.size());
    TilePool& b = b_.sbuf_pool("gemm_b", x_.dtype, planes_ * nb,
                               std::max(k_.size(), slots_that_fit(planes_ * nb, 2 * k_.size())));
    for (const Piece& m : pieces(m_, mb)) {
      std::vector<Tile*> wa;
      for (const Piece& n : pieces(n_, nb)) {
        std::vector<Tile*> xb;
        for (const Piece& k : k_) {
          if (wa.size() < k_.size()) {
            wa.push_back(&a.next());
            load_rows(*wa.back(), true, k, m, kTileM);
          }
          xb.push_back(&b.next());
          load_rows(*xb.back(), false, k, n, kTileN);
        }
        multiply_block(wa, xb, m, n);
      }
    }
  }

  void multiply_block(const std::vector<Tile*>& wa, const std::vector<Tile*>& xb, Piece m, Piece n) {
    for (const Piece& tm : pieces(m, kTileM)) {
      Tile& out = out_->next();
      for (const Piece& tn : pieces(n, kTileN)) {
        Tile& psum = psum_->next();
        for (std::size_t k = 0; k < k_.size(); ++k)
          step(psum, slab(*wa[k], tm.begin - m.begin, tm.size, k_[k]),
               slab(*xb[k], tn.begin - n.begin, tn.size, k_[k]), k, k_.size(), tm, tn);
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
    TilePool& b = b_.sbuf_pool("gemm_b", x_.dtype, planes_ * nb,
                               std::max<std::size_t>(kb, slots_that_fit(planes_ * nb, 2 * kb)));
    const std::uint64_t column = planes_ * kTileM * kb;
    TilePool& a = b_.sbuf_pool("gemm_a", x_.dtype, column,
                               std::max<std::size_t>(2, even_slots(column, m_count + 4, m_count)));
    for (const Piece& n : pieces(n_, nb)) {
      for (const Piece& m : pieces(m_, mb)) {
        std::vector<Tile*> sum(m_count);
        for (std::size_t i = 0; i < m_count && sums != nullptr; ++i) sum[i] = &sums->next();
        for (std::size_t k0 = 0; k0 < k_.size(); k0 += kb)
          multiply_k_block(a, b, sum, k0, std::min<std::size_t>(kb, k_.size() - k0), m, n);
      }
    }
  }

  void multiply_k_block(TilePool& a, TilePool& b, const std::vector<Tile*>& sum, std::size_t k0,
                        std::size_t count, Piece m, Piece n) {
    std::vector<Tile*> xb;
    for (std::size_t k = 0; k < count; ++k) {
      xb.push_back(&b.next());
      load_rows(*xb.back(), false, k_[k0 + k], n, kTileN);
    }
    std::size_t row = 0;
    for (const Piece& tm : pieces(m, kTileM)) {
      Tile& wa = a.next();
      load_column(wa, k0, count, tm);
      const bool last = k0 + count == k_.size();
      Tile* out = last ? &out_->next() : nullptr;
      for (const Piece& tn : pieces(n, kTileN)) {
        Tile& psum = psum_->next();
        for (std::size_t k = 0; k < count; ++k)
          step(psum, slab_of(wa, k, k_[k0 + k], tm), slab(*xb[k], tn.begin - n.begin, tn.size, k_[k0 + k]), k,
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
  void load_column(Tile& wa, std::size_t k0, std::size_t count, Piece m) {
    const Piece rows{k_[k0].begin, k_[k0 + count - 1].end() - k_[k0].begin};
    if (options_.load == GemmLoad::kRow && !x_.a_transposed && rows.size == count * planes_ * kTileK &&
        m.size == kTileM) {
      load_a(part(wa, 0, count * planes_ * kTileM, kTileK), rows, m);
      return;
    }
    for (std::size_t k = 0; k < count; ++k) load_a(slab_of(wa, k, k_[k0 + k], m), k_[k0 + k], m);
  }

  // Adds a partial sum; the last one goes to `out`.
  void accumulate(Tile& sum, Tile& psum, bool first, Tile* out, Piece m, Piece n, std::uint64_t column) {
    const View partial = part(psum, 0, n.size, m.size);
    const View total = part(sum, column, n.size, m.size);
    Instruction add;
    add.op0 = AluOp::kAdd;
    if (first)
      b_.compute(Engine::kVector, Opcode::kCopy, total, {partial});
    else
      b_.compute(Engine::kVector, Opcode::kTensorTensor,
                 out == nullptr ? total : part(*out, column, n.size, m.size), {partial, total}, add);
  }

  // B's rows are used once, by all tiles of the block, and make room at once: nothing of B needs to stay.
  void stream() {
    const std::uint64_t block = std::min(kStreamTiles * kTileM, m_.size);
    const std::uint64_t width = planes_ * std::min(kTileN, n_.size);
    TilePool& b = b_.sbuf_pool("gemm_b", x_.dtype, width, even_slots(width, 12, k_.size()));
    TilePool& a = b_.sbuf_pool("gemm_a", x_.dtype, planes_ * block,
                               std::max(k_.size(), slots_that_fit(planes_ * block, 2 * k_.size())));
    for (const Piece& m : pieces(m_, block)) {
      std::vector<Tile*> wa;
      for (const Piece& n : pieces(n_, kTileN)) stream_row(a, b, wa, m, n);
    }
  }

  // One row of tiles of C; the first of a block also loads A.
  void stream_row(TilePool& a, TilePool& b, std::vector<Tile*>& wa, Piece m, Piece n) {
    const std::vector<Piece> rows = pieces(m, kTileM);
    std::vector<Tile*> psum;
    for (std::size_t r = 0; r < rows.size(); ++r) psum.push_back(&psum_->next());
    for (std::size_t k = 0; k < k_.size(); ++k) {
      if (wa.size() < k_.size()) {
        wa.push_back(&a.next());
        load_rows(*wa.back(), true, k_[k], m, kTileM);
      }
      Tile& xb = b.next();
      load_rows(xb, false, k_[k], n, kTileN);
      for (std::size_t r = 0; r < rows.size(); ++r)
        step(*psum[r], slab(*wa[k], rows[r].begin - m.begin, rows[r].size, k_[k]), slab(xb, 0, n.size, k_[k]),
             k, k_.size(), rows[r], n);
    }
    for (std::size_t r = 0; r < rows.size(); ++r) drain(*psum[r], rows[r], n);
  }

  CoreBuilder& b_;
  const GemmOperands& x_;
  const GemmOptions& options_;
  Piece m_;
  Piece n_;
  std::uint64_t planes_;  // of a slab of K
  std::vector<Piece> k_;
  TilePool* psum_ = nullptr;
  TilePool* out_ = nullptr;
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
  TRN_CHECK(blocked || !(operands.a_transposed || operands.b_transposed),
            "this order takes no transposed operands");
  if (m_begin < m_end) Gemm(builder, operands, options, {m_begin, m_end - m_begin}).run();
}

std::uint64_t gemm_elements_read(std::uint64_t m, std::uint64_t k, std::uint64_t n,
                                 const GemmOptions& options) {
  const std::uint64_t m_tiles = ceil_div(m, kTileM);
  const std::uint64_t n_tiles = ceil_div(n, kTileN);
  switch (options.order) {
    case GemmOrder::kInner:
      return k * m * n_tiles + k * n * m_tiles;
    case GemmOrder::kHoistK:
      return k * m + k * n * m_tiles;
    case GemmOrder::kBlockMn:
      return k * m + k * n * ceil_div(m_tiles, options.m_tiles);
    case GemmOrder::kBlockMnk:
      return k * m * ceil_div(n_tiles, options.n_tiles) + k * n * ceil_div(m_tiles, options.m_tiles);
    case GemmOrder::kStream:
      break;
  }
  return k * m + k * n * ceil_div(m_tiles, kStreamTiles);
}

}  // namespace trn
