// Causal flash attention with grouped queries, forward and backward.
#pragma once

#include "kernels/builder/core_builder.h"

namespace trn {

// Rows are tokens; head h of q, out, dq, dout lies in columns [h*d, (h+1)*d), likewise k, v, dk, dv for the
// KV heads; lse holds one fp32 column a query head. d <= 128.
struct AttentionShape {
  std::uint64_t sequence = 0;
  std::uint64_t heads = 0;
  std::uint64_t kv_heads = 0;
  std::uint64_t head_dim = 0;
};

struct AttentionForward {
  AttentionShape shape;
  HbmTensor q, k, v, out, lse;
  std::uint64_t q_column = 0, k_column = 0, v_column = 0;  // of head 0; also of dq, dk, dv
  std::uint64_t row =
      0;  // first row of the saved tensors (k, v, out, lse) and q: layers lie below each other
};

struct AttentionBackward {
  AttentionForward forward;
  HbmTensor dout, dq, dk, dv;
  std::uint64_t grad_row = 0;  // first row of these four
};

// KV heads [begin, end), with the query heads that share them.
void flash_attention(CoreBuilder& builder, const AttentionForward& x, std::uint64_t begin, std::uint64_t end);
void flash_attention_backward(CoreBuilder& builder, const AttentionBackward& x, std::uint64_t begin,
                              std::uint64_t end);

// Multiply-adds x 2 that the array executes: whole tiles, masked corners included.
std::uint64_t flash_attention_flops(const AttentionShape& shape);
std::uint64_t flash_attention_backward_flops(const AttentionShape& shape);

}  // namespace trn
