#include "kernels/gemm.h"

#include <algorithm>

namespace trn {
namespace {

constexpr std::uint64_t kTileM = 128;
constexpr std::uint64_t kTileN = 512;
constexpr std::uint64_t kTileK = 128;

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

// A piece [begin, begin + size) of a dimension.
struct Piece {
  std::uint64_t begin;
  std::uint64_t size;
};

std::vector<Piece> pieces(std::uint64_t begin, std::uint64_t end, std::uint64_t step) {
  std::vector<Piece> out;
  for (std::uint64_t at = begin; at < end; at += step) out.push_back({at, std::min(step, end - at)});
  return out;
}

class Gemm {
 public:
  Gemm(CoreBuilder& builder, const GemmOperands& operands, const GemmOptions& options, Piece m)
      : b_(builder),
        x_(operands),
        options_(options),
        m_(m),
        k_(pieces(0, operands.a.rows, kTileK)),
        n_(operands.b.columns) {}

  void run() {
    const std::size_t mark = b_.mark();
    psum_ = &b_.psum_pool("gemm_psum", DType::kFp32, kTileN, 4);
    out_ = &b_.sbuf_pool("gemm_out", x_.c_dtype, kTileN, 4);
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
    }
    b_.release(mark);
  }

 private:
  HbmBlock a_block(Piece k, Piece m) const { return {x_.a, k.begin, k.size, m.begin, m.size}; }
  HbmBlock b_block(Piece k, Piece n) const { return {x_.b, k.begin, k.size, n.begin, n.size}; }
  static View part(Tile& tile, std::uint64_t column, std::uint64_t columns, std::uint64_t rows) {
    return View::columns(tile, column, columns, static_cast<std::uint32_t>(rows));
  }

  // [k, piece] into the first columns of a tile: one transfer, or one a sub-tile.
  void load_rows(Tile& tile, const HbmTensor& tensor, Piece k, Piece columns, std::uint64_t sub_tile) {
    const std::uint64_t step = options_.load == GemmLoad::kRow ? columns.size : sub_tile;
    for (const Piece& p : pieces(columns.begin, columns.begin + columns.size, step))
      b_.load(part(tile, p.begin - columns.begin, p.size, k.size),
              {tensor, k.begin, k.size, p.begin, p.size});
  }

  // PSUM -> SBUF in C's dtype -> HBM.
  void drain(Tile& psum, Piece m, Piece n) {
    Tile& out = out_->next();
    b_.compute(Engine::kVector, Opcode::kCopy, part(out, 0, n.size, m.size), {part(psum, 0, n.size, m.size)});
    b_.store({x_.c, m.begin, m.size, n.begin, n.size}, part(out, 0, n.size, m.size));
  }

  void step(Tile& psum, View stationary, View moving, std::size_t k, std::size_t count, Piece m, Piece n) {
    b_.load_weights(stationary);
    b_.matmul(part(psum, 0, n.size, m.size), moving, k > 0, k + 1 == count);
  }

  void inner() {
    TilePool& a = b_.sbuf_pool("gemm_a", x_.dtype, kTileM, 8);
    TilePool& b = b_.sbuf_pool("gemm_b", x_.dtype, kTileN, 8);
    for (const Piece& m : pieces(m_.begin, m_.begin + m_.size, kTileM)) {
      for (const Piece& n : pieces(0, n_, kTileN)) {
        Tile& psum = psum_->next();
        for (std::size_t k = 0; k < k_.size(); ++k) {
          Tile& wa = a.next();
          Tile& xb = b.next();
          b_.load(part(wa, 0, m.size, k_[k].size), a_block(k_[k], m));
          b_.load(part(xb, 0, n.size, k_[k].size), b_block(k_[k], n));
          step(psum, part(wa, 0, m.size, k_[k].size), part(xb, 0, n.size, k_[k].size), k, k_.size(), m, n);
        }
        drain(psum, m, n);
      }
    }
  }

  void hoist_k() {
    const std::uint64_t element = size_of(x_.dtype);
    TilePool& a = b_.sbuf_pool("gemm_a", x_.dtype, kTileM * k_.size(), 2);
    TilePool& b = b_.sbuf_pool("gemm_b", x_.dtype, kTileN, slots_that_fit(kTileN * element, 2 * k_.size()));
    for (const Piece& m : pieces(m_.begin, m_.begin + m_.size, kTileM)) {
      Tile& wa = a.next();
      for (std::size_t k = 0; k < k_.size(); ++k)
        b_.load(part(wa, k * kTileM, m.size, k_[k].size), a_block(k_[k], m));
      for (const Piece& n : pieces(0, n_, kTileN)) {
        Tile& psum = psum_->next();
        for (std::size_t k = 0; k < k_.size(); ++k) {
          Tile& xb = b.next();
          b_.load(part(xb, 0, n.size, k_[k].size), b_block(k_[k], n));
          step(psum, part(wa, k * kTileM, m.size, k_[k].size), part(xb, 0, n.size, k_[k].size), k, k_.size(),
               m, n);
        }
        drain(psum, m, n);
      }
    }
  }

  void block_mn() {
    const std::uint64_t mb = options_.m_tiles * kTileM;
    const std::uint64_t nb = options_.n_tiles * kTileN;
    const std::uint64_t element = size_of(x_.dtype);
    TilePool& a = b_.sbuf_pool("gemm_a", x_.dtype, std::min(mb, m_.size), k_.size());
    TilePool& b = b_.sbuf_pool("gemm_b", x_.dtype, std::min(nb, n_),
                               slots_that_fit(std::min(nb, n_) * element, 2 * k_.size()));
    for (const Piece& m : pieces(m_.begin, m_.begin + m_.size, mb)) {
      std::vector<Tile*> wa;
      for (const Piece& n : pieces(0, n_, nb)) {
        std::vector<Tile*> xb;
        for (const Piece& k : k_) {
          if (wa.size() < k_.size()) {
            wa.push_back(&a.next());
            load_rows(*wa.back(), x_.a, k, m, kTileM);
          }
          xb.push_back(&b.next());
          load_rows(*xb.back(), x_.b, k, n, kTileN);
        }
        multiply_block(wa, xb, m, n);
      }
    }
  }

  void multiply_block(const std::vector<Tile*>& wa, const std::vector<Tile*>& xb, Piece m, Piece n) {
    for (const Piece& tm : pieces(m.begin, m.begin + m.size, kTileM)) {
      for (const Piece& tn : pieces(n.begin, n.begin + n.size, kTileN)) {
        Tile& psum = psum_->next();
        for (std::size_t k = 0; k < k_.size(); ++k)
          step(psum, part(*wa[k], tm.begin - m.begin, tm.size, k_[k].size),
               part(*xb[k], tn.begin - n.begin, tn.size, k_[k].size), k, k_.size(), tm, tn);
        drain(psum, tm, tn);
      }
    }
  }

  // A is loaded a column of tiles at a time, so that a column is freed, and refilled, as soon as it is used.
  void block_mnk() {
    const std::uint64_t mb = options_.m_tiles * kTileM;
    const std::uint64_t nb = std::min(options_.n_tiles * kTileN, n_);
    const std::uint64_t kb = std::min<std::uint64_t>(options_.k_tiles, k_.size());
    const std::uint64_t element = size_of(x_.dtype);
    const std::size_t m_count = ceil_div(std::min(mb, m_.size), kTileM);
    const bool whole_k = kb == k_.size();
    TilePool* sums = whole_k ? nullptr : &b_.sbuf_pool("gemm_sum", DType::kFp32, nb, m_count);
    TilePool& b = b_.sbuf_pool("gemm_b", x_.dtype, nb,
                               std::min<std::size_t>(2 * kb, slots_that_fit(nb * element, 2 * kb)));
    TilePool& a = b_.sbuf_pool("gemm_a", x_.dtype, kTileM * kb,
                               std::max<std::size_t>(2, slots_that_fit(kTileM * kb * element, m_count + 4)));
    for (const Piece& n : pieces(0, n_, nb)) {
      for (const Piece& m : pieces(m_.begin, m_.begin + m_.size, mb)) {
        std::vector<Tile*> sum(m_count);
        for (std::size_t i = 0; i < m_count && sums != nullptr; ++i) sum[i] = &sums->next();
        for (std::size_t k0 = 0; k0 < k_.size(); k0 += kb) {
          const std::size_t count = std::min<std::size_t>(kb, k_.size() - k0);
          std::vector<Tile*> xb;
          for (std::size_t k = 0; k < count; ++k) {
            xb.push_back(&b.next());
            load_rows(*xb.back(), x_.b, k_[k0 + k], n, kTileN);
          }
          std::size_t row = 0;
          for (const Piece& tm : pieces(m.begin, m.begin + m.size, kTileM)) {
            Tile& wa = a.next();
            load_column(wa, k0, count, tm);
            for (const Piece& tn : pieces(n.begin, n.begin + n.size, kTileN)) {
              Tile& psum = psum_->next();
              for (std::size_t k = 0; k < count; ++k)
                step(psum, part(wa, k * kTileM, tm.size, k_[k0 + k].size),
                     part(*xb[k], tn.begin - n.begin, tn.size, k_[k0 + k].size), k, count, tm, tn);
              if (sums == nullptr)
                drain(psum, tm, tn);
              else
                accumulate(*sum[row], psum, k0 == 0, k0 + count == k_.size(), tm, tn, tn.begin - n.begin);
            }
            ++row;
          }
        }
      }
    }
  }

  // [count * 128, 128] of A side by side in one tile: one transfer when the rows are whole tiles.
  void load_column(Tile& wa, std::size_t k0, std::size_t count, Piece m) {
    const std::uint64_t rows = k_[k0 + count - 1].begin + k_[k0 + count - 1].size - k_[k0].begin;
    if (options_.load == GemmLoad::kRow && rows == count * kTileK && m.size == kTileM) {
      b_.load(part(wa, 0, count * kTileM, kTileK), {x_.a, k_[k0].begin, rows, m.begin, m.size});
      return;
    }
    for (std::size_t k = 0; k < count; ++k)
      b_.load(part(wa, k * kTileM, m.size, k_[k0 + k].size), a_block(k_[k0 + k], m));
  }

  void accumulate(Tile& sum, Tile& psum, bool first, bool last, Piece m, Piece n, std::uint64_t column) {
    const View partial = part(psum, 0, n.size, m.size);
    const View total = part(sum, column, n.size, m.size);
    Instruction add;
    add.op0 = AluOp::kAdd;
    if (first) {
      b_.compute(Engine::kVector, Opcode::kCopy, total, {partial});
    } else if (!last) {
      b_.compute(Engine::kVector, Opcode::kTensorTensor, total, {partial, total}, add);
    } else {
      Tile& out = out_->next();
      b_.compute(Engine::kVector, Opcode::kTensorTensor, part(out, 0, n.size, m.size), {partial, total}, add);
      b_.store({x_.c, m.begin, m.size, n.begin, n.size}, part(out, 0, n.size, m.size));
    }
  }

  std::size_t slots_that_fit(std::uint64_t slot_bytes, std::size_t wanted) const {
    return std::max<std::size_t>(
        1, std::min<std::size_t>(wanted, b_.sbuf_free() / ((slot_bytes + 63) / 64 * 64)));
  }

  CoreBuilder& b_;
  const GemmOperands& x_;
  const GemmOptions& options_;
  Piece m_;
  std::vector<Piece> k_;
  std::uint64_t n_;
  TilePool* psum_ = nullptr;
  TilePool* out_ = nullptr;
};

}  // namespace

void gemm(CoreBuilder& builder, const GemmOperands& operands, const GemmOptions& options,
          std::uint64_t m_begin, std::uint64_t m_end) {
  if (m_begin < m_end) Gemm(builder, operands, options, {m_begin, m_end - m_begin}).run();
}

std::uint64_t gemm_elements_read(std::uint64_t m, std::uint64_t k, std::uint64_t n,
                                 const GemmOptions& options) {
  const std::uint64_t mt = ceil_div(m, kTileM);
  const std::uint64_t nt = ceil_div(n, kTileN);
  const std::uint64_t mb = ceil_div(mt, options.m_tiles);
  const std::uint64_t nb = ceil_div(nt, options.n_tiles);
  switch (options.order) {
    case GemmOrder::kInner:
      return k * m * nt + k * n * mt;
    case GemmOrder::kHoistK:
      return k * m + k * n * mt;
    case GemmOrder::kBlockMn:
      return k * m + k * n * mb;
    case GemmOrder::kBlockMnk:
      break;
  }
  return k * m * nb + k * n * mb;
}

}  // namespace trn
