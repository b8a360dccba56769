// HBM bytes that the kernels move, from their loop nests: what a simulated run must count.
#pragma once

#include "kernels/flash_attention.h"
#include "kernels/gemm.h"

namespace trn {

struct HbmTraffic {
  std::uint64_t read = 0;
  std::uint64_t write = 0;

  HbmTraffic& operator+=(HbmTraffic o) {
    read += o.read;
    write += o.write;
    return *this;
  }
  friend HbmTraffic operator-(HbmTraffic a, HbmTraffic b) { return {a.read - b.read, a.write - b.write}; }
  friend HbmTraffic operator*(HbmTraffic a, std::uint64_t n) { return {a.read * n, a.write * n}; }
};

// Bytes of an element of a gemm's operand in HBM, its MX scale included.
std::uint64_t operand_bytes(DType dtype);
// A Quantizer's besides the matrix: FP8's factor and inverse, and the largest magnitudes.
HbmTraffic quantizer_traffic(DType dtype, const Fp8Scaling& scaling);

// Rows [begin, end) of C on one core.
HbmTraffic gemm_traffic(const GemmOperands& operands, const GemmOptions& options, std::uint64_t begin,
                        std::uint64_t end);
// `kv_heads` KV heads with their query heads: keys, values and queries once; out and the log-sum-exp.
HbmTraffic flash_attention_traffic(const AttentionShape& shape, std::uint64_t kv_heads);
// Keys twice (both ways round) and values once a KV head; q and dout twice, out and the log-sum-exp once a
// head.
HbmTraffic flash_attention_backward_traffic(const AttentionShape& shape, std::uint64_t kv_heads);

// bf16 matrices read and written once; `broadcast` columns of weights are read by all 128 partitions.
HbmTraffic rows_traffic(std::uint64_t rows, std::uint64_t columns_read, std::uint64_t columns_written,
                        std::uint64_t broadcast = 0);
// master, m, v and gradient in fp32 in; master, m, v in fp32 and the bf16 parameter out.
HbmTraffic adamw_traffic(std::uint64_t rows);

}  // namespace trn
