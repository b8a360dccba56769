// Row kernels: tokens on partitions, features along the free dimension; no matmuls.
#pragma once

#include <vector>

#include "kernels/builder/core_builder.h"

namespace trn {

inline constexpr double kNormEpsilon = 1e-6;  // of the mean square

// Rows [row, ...) and columns [column, ...) of an HBM matrix.
struct Rows {
  HbmTensor tensor;
  std::uint64_t row = 0;
  std::uint64_t column = 0;
};

// Each appends rows [begin, end) to a core's program. Widths are the result's columns, or as given.

// y = x / rms(x) * weight.
void rmsnorm(CoreBuilder& builder, Rows x, Rows weight, Rows y, std::uint64_t begin, std::uint64_t end);
// sum = a + b; y = rmsnorm(sum).
void add_rmsnorm(CoreBuilder& builder, Rows a, Rows b, Rows weight, Rows sum, Rows y, std::uint64_t begin,
                 std::uint64_t end);
// dx = skip + d(rmsnorm)/dx, from dy, x and the weight; `skip` is the gradient that bypasses the norm.
void rmsnorm_backward(CoreBuilder& builder, Rows x, Rows weight, Rows dy, Rows skip, Rows dx,
                      std::uint64_t begin, std::uint64_t end);
// out = a + b.
void add_rows(CoreBuilder& builder, Rows a, Rows b, Rows out, std::uint64_t begin, std::uint64_t end);
// act = silu(gate) * up; gate and up lie side by side in `gate_up`.
void swiglu(CoreBuilder& builder, Rows gate_up, Rows act, std::uint64_t begin, std::uint64_t end);
// d(gate_up) from d(act) and gate_up.
void swiglu_backward(CoreBuilder& builder, Rows gate_up, Rows dact, Rows dgate_up, std::uint64_t begin,
                     std::uint64_t end);
// Per head of `head_dim`: optional rms norm (its weight in the tables), then x cos + (halves swapped) sin;
// the table has head_dim cosines and head_dim sines a row, the first half of the sines negated.
void rope(CoreBuilder& builder, Rows x, Rows cos_sin, Rows y, std::uint64_t heads, std::uint64_t head_dim,
          bool norm, std::uint64_t begin, std::uint64_t end);
// dlogits = softmax(logits) - onehot(target), two passes over the row; targets are int32, one a row. (A
// vocabulary shard's sums would still have to meet across tensor-parallel ranks.)
void cross_entropy(CoreBuilder& builder, Rows logits, Rows targets, Rows dlogits, std::uint64_t begin,
                   std::uint64_t end);
// Rows picked from (or summed into) a table; one descriptor a row.
void embedding(CoreBuilder& builder, Rows table, Rows out, std::uint64_t begin, std::uint64_t end);

// One AdamW step on a flat shard of `count` parameters, laid out as rows of 2048: reads master, m, v and
// gradient in fp32, writes master, m, v and the bf16 parameter.
struct AdamConstants {
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, decay = 0.1;
  double step = 1;  // of the bias corrections
};
struct AdamState {
  HbmTensor master, momentum, variance, gradient, parameter;
  AdamConstants constants{};
};
inline constexpr std::uint64_t kAdamColumns = 2048;
void adamw(CoreBuilder& builder, const AdamState& state, std::uint64_t begin, std::uint64_t end);

}  // namespace trn
