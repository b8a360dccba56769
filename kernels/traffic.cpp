#include "kernels/traffic.h"

#include "kernels/pointwise.h"

namespace trn {
namespace {

constexpr std::uint64_t kBf16 = 2;
constexpr std::uint64_t kFp32 = 4;
constexpr std::uint64_t kFactorBytes = kSlabRows * 2 * kFp32;  // a factor and its inverse

}  // namespace

std::uint64_t operand_bytes(DType dtype) { return size_of(dtype) + (is_mx(dtype) ? 1 : 0); }

HbmTraffic quantizer_traffic(DType dtype, const Fp8Scaling& scaling) {
  if (is_mx(dtype)) return {};
  return {kFactorBytes, scaling.largest.rows > 0 ? kSlabRows * kFp32 : 0};
}

HbmTraffic gemm_traffic(const GemmOperands& x, const GemmOptions& options, std::uint64_t begin,
                        std::uint64_t end) {
  const std::uint64_t m = end - begin;
  const std::uint64_t values = info(x.dtype).values;
  const GemmElements read = gemm_elements(m, x.k / values, x.n, options);
  HbmTraffic traffic{0, m * x.n * size_of(x.c_dtype)};
  if (x.quantize_a) traffic += quantizer_traffic(x.dtype, x.a_scaling);
  if (x.rescales()) traffic.read += 2 * kFactorBytes;
  traffic.read += read.a * (x.quantize_a ? values * kBf16 : operand_bytes(x.dtype));
  traffic.read += read.b * operand_bytes(x.dtype);
  return traffic;
}

HbmTraffic flash_attention_traffic(const AttentionShape& s, std::uint64_t kv_heads) {
  const std::uint64_t head = s.sequence * s.head_dim * kBf16;
  const std::uint64_t heads = kv_heads * (s.heads / s.kv_heads);
  return {kv_heads * 2 * head + heads * head, heads * (head + s.sequence * kFp32)};
}

HbmTraffic flash_attention_backward_traffic(const AttentionShape& s, std::uint64_t kv_heads) {
  const std::uint64_t head = s.sequence * s.head_dim * kBf16;
  const std::uint64_t heads = kv_heads * (s.heads / s.kv_heads);
  return {kv_heads * 3 * head + heads * (5 * head + s.sequence * kFp32), heads * head + kv_heads * 2 * head};
}

HbmTraffic rows_traffic(std::uint64_t rows, std::uint64_t columns_read, std::uint64_t columns_written,
                        std::uint64_t broadcast) {
  return {(rows * columns_read + 128 * broadcast) * kBf16, rows * columns_written * kBf16};
}

HbmTraffic adamw_traffic(std::uint64_t rows) {
  return {rows * kAdamColumns * 4 * kFp32, rows * kAdamColumns * (3 * kFp32 + kBf16)};
}

}  // namespace trn
