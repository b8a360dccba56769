// Turns bf16 from HBM into slabs of FP8 or MX operands in SBUF, K on partitions.
//
// FP8 has a factor a tensor, known from the steps before (delayed scaling): Scalar multiplies, Vector clamps
// and narrows, and where it is wanted Vector finds the largest magnitude, for the next steps' factor. MX
// finds its own scales: Scalar brings four rows of K side by side, Vector's QMX does the rest.
#pragma once

#include "kernels/operand_tiles.h"
#include "kernels/span.h"

namespace trn {

// A matrix of K x columns in HBM, bf16.
struct QuantizeSource {
  HbmTensor tensor;
  std::uint64_t row = 0;    // its first
  bool transposed = false;  // stored as columns x K, and turned by the DMA engines
};

// Of one FP8 tensor, in HBM; nothing of it for MX.
struct Fp8Scaling {
  HbmTensor factors;  // fp32, rows [row, row + 128) alike: the factor and its inverse
  std::uint64_t row = 0;
  HbmTensor largest;  // fp32, 128 partitions' largest magnitudes; without rows: not wanted
  std::uint64_t largest_row = 0;
  std::uint64_t largest_column = 0;  // a core has one
};

// Largest number of an FP8 type; overflow must not become infinity.
double largest_number(DType dtype);

// Rows of K are placed as in
//   FP8  K = slab + 128 plane + partition, MX  K = slab + (partitions of the slab) lane + partition,
// so that sources are loaded in whole rows. K of MX is a multiple of 128.
class Quantizer {
 public:
  // For slabs of up to `columns` columns, `slots` of them on their way.
  Quantizer(CoreBuilder& builder, DType to, std::uint64_t columns, std::size_t slots,
            const Fp8Scaling& scaling);

  // Rows `k` of K (counted in values), columns `c` of the source into the columns of `to` from `first` on.
  // Its planes lie `stride` apart.
  void load(OperandTile to, std::uint64_t first, std::uint64_t stride, const QuantizeSource& from, Span k,
            Span c);

  // Stores the largest magnitudes, if they are wanted.
  void finish();

  // Bytes a partition its own tiles take.
  static std::uint64_t sbuf_bytes(DType to, std::uint64_t columns, std::size_t slots,
                                  const MachineConfig& machine);

 private:
  void fetch(Tile& tile, const QuantizeSource& from, Span k, Span c, std::uint64_t parts);
  void narrow_fp8(View to, Tile& bf16, std::uint32_t rows, Span c, std::uint64_t parts);
  void narrow_mx(OperandTile to, std::uint64_t first, Tile& bf16, std::uint32_t rows, Span c);
  void find_largest(View values);
  void keep_largest(std::uint32_t rows);

  CoreBuilder& b_;
  DType to_;
  std::uint64_t columns_;
  Fp8Scaling scaling_;
  TilePool& wide_;
  TilePool& work_;
  // Apart, since Scalar reads the one for every piece and Vector writes the other.
  Tile* factor_ = nullptr;   // factor, inverse, zero
  Tile* numbers_ = nullptr;  // the largest so far, the newest
};

}  // namespace trn
