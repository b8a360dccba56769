// C[M,N] = transpose(A[K,M]) x B[K,N], in five loop orders.
#pragma once

#include <string>
#include <vector>

#include "kernels/quantizer.h"

namespace trn {

// The loop nests and the elements each reads from HBM (C is written once, M*N). Block sizes in tiles:
//   inner      m, n, k     both tiles in the innermost loop              K*M*(N/512)    + K*N*(M/128)
//   hoist_k    m, n, k     A once per m, B once per (m, n)               K*M            + K*N*(M/128)
//   block_mn   blocks m, n K whole: A once per m block                   K*M            + K*N*(M/(128 mb))
//   block_mnk  n, m, k     partial sums in SBUF                          K*M*(N/512 nb) + K*N*(M/(128 mb))
//   stream     m, n        A's block of 4 tiles stays, B streams by      K*M            + K*N*(M/(512
//   passes))
// PSUM holds 4 tiles' sums and drains 4 others'; with more passes A's block is as much taller, and 4 of its
// tiles after the other pass over the columns of B, whose K then stays for them.
enum class GemmOrder : std::uint8_t { kInner, kHoistK, kBlockMn, kBlockMnk, kStream };
inline const std::vector<std::string> kGemmOrders{"inner", "hoist_k", "block_mn", "block_mnk", "stream"};

// FP8 operands stored as above take two tiles of K an instruction where the machine has double row; what is
// left of a K that is no multiple of 256 takes one. MX operands take four.

// How a block is loaded: whole rows of it a transfer, or a 128 x 128 / 128 x 512 tile a transfer.
enum class GemmLoad : std::uint8_t { kRow, kTile };

struct GemmOptions {
  GemmOrder order = GemmOrder::kBlockMnk;
  GemmLoad load = GemmLoad::kRow;
  std::uint64_t m_tiles = 16;  // block sizes in tiles of 128 rows, 512 columns, 128 of K
  std::uint64_t n_tiles = 2;
  std::uint64_t k_tiles = 8;
  std::uint64_t passes = 1;  // stream only
};

struct GemmOperands {
  HbmTensor a;  // [K, M], or [M, K] with a_transposed; K in elements, four values each in MX
  HbmTensor b;  // [K, N], or [N, K] with b_transposed
  HbmTensor c;  // [M, N]
  DType dtype = DType::kBf16;
  DType c_dtype = DType::kBf16;
  std::uint64_t m = 0, k = 0, n = 0;  // in values
  // Stored the other way round: turned by the DMA engines on the way in (blocked orders only).
  bool a_transposed = false;
  bool b_transposed = false;
  // First rows of the operands in their tensors: the matrices of many layers lie below each other.
  std::uint64_t a_row = 0, b_row = 0, c_row = 0;
  HbmTensor a_scales, b_scales;  // MX: e8m0, of the operands' shapes; never transposed
  // A is bf16 in HBM and quantised to `dtype` on the way in, once: only in the stream order.
  bool quantize_a = false;
  Fp8Scaling a_scaling, b_scaling;  // with factors C is multiplied with the inverse of both

  bool rescales() const { return a_scaling.factors.rows > 0 && b_scaling.factors.rows > 0; }
};

// Operands that are whole tensors.
GemmOperands gemm_operands(HbmTensor a, HbmTensor b, HbmTensor c, DType dtype, DType c_dtype);

// Appends rows [m_begin, m_end) of C to the core's program. HBM bytes: as the table says.
void gemm(CoreBuilder& builder, const GemmOperands& operands, const GemmOptions& options,
          std::uint64_t m_begin, std::uint64_t m_end);

// SBUF a partition that the stream order needs at least, and block_mn.
std::uint64_t stream_bytes(const GemmOperands& operands, std::uint64_t passes, const MachineConfig& machine);
std::uint64_t block_bytes(const GemmOperands& operands, const GemmOptions& options,
                          const MachineConfig& machine);

// Elements read from HBM by the loop nest above, for whole tiles; k in elements.
struct GemmElements {
  std::uint64_t a, b;
};
GemmElements gemm_elements(std::uint64_t m, std::uint64_t k, std::uint64_t n, const GemmOptions& options);
std::uint64_t gemm_elements_read(std::uint64_t m, std::uint64_t k, std::uint64_t n,
                                 const GemmOptions& options);

}  // namespace trn
