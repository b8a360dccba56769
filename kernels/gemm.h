// C[M,N] = transpose(A[K,M]) x B[K,N], in four loop orders.
#pragma once

#include "kernels/builder/core_builder.h"

namespace trn {

// The loop nests and what each reads from HBM, in elements; mt = M/128 etc. are tile counts, mb, nb, kb the
// block sizes in tiles, C is written once (M*N):
//   inner      m, n, k: both tiles loaded in the innermost loop            K*M*(N/512) + K*N*(M/128)
//   hoist_k    m, n, k: A's column of tiles once per m, B's once per (m,n)  K*M          + K*N*(M/128)
//   block_mn   (m, n) blocks, K whole: A once per m block, B once per (m,n) K*M          + K*N*(M/(128 mb))
//   block_mnk  (n, m, k) blocks, partial sums in SBUF                       K*M*(N/(512 nb)) + K*N*(M/(128
//   mb))
enum class GemmOrder : std::uint8_t { kInner, kHoistK, kBlockMn, kBlockMnk };

// How a block is loaded: whole rows of it a transfer, or a 128 x 128 / 128 x 512 tile a transfer.
enum class GemmLoad : std::uint8_t { kRow, kTile };

struct GemmOptions {
  GemmOrder order = GemmOrder::kBlockMnk;
  GemmLoad load = GemmLoad::kRow;
  std::uint64_t m_tiles = 16;  // block sizes in tiles of 128 rows, 512 columns, 128 of K
  std::uint64_t n_tiles = 2;
  std::uint64_t k_tiles = 8;
};

struct GemmOperands {
  HbmTensor a;  // [K, M]
  HbmTensor b;  // [K, N]
  HbmTensor c;  // [M, N]
  DType dtype = DType::kBf16;
  DType c_dtype = DType::kBf16;
};

// Appends rows [m_begin, m_end) of C to the core's program. HBM bytes: as the table says.
void gemm(CoreBuilder& builder, const GemmOperands& operands, const GemmOptions& options,
          std::uint64_t m_begin, std::uint64_t m_end);

// Elements read from HBM by the loop nest above, for whole tiles.
std::uint64_t gemm_elements_read(std::uint64_t m, std::uint64_t k, std::uint64_t n,
                                 const GemmOptions& options);

}  // namespace trn
