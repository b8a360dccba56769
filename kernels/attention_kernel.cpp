// The attention rows of the kernel library.
#include "base/error.h"
#include "kernels/builder/rank_builder.h"
#include "kernels/flash_attention.h"
#include "kernels/registry.h"

namespace trn {
namespace {

AttentionShape shape_of(const KernelArguments& arguments) {
  const AttentionShape shape{arguments.positive("seq"), arguments.positive("heads"),
                             arguments.positive("kv-heads"), arguments.positive("head-dim")};
  if (shape.sequence % 128 != 0) throw UsageError("kernel flash_attention: --seq must be a multiple of 128");
  if (shape.head_dim > 128 || shape.head_dim % 2 != 0)
    throw UsageError("kernel flash_attention: --head-dim must be even and at most 128");
  if (shape.heads % shape.kv_heads != 0)
    throw UsageError("kernel flash_attention: --kv-heads must divide --heads");
  return shape;
}

AttentionForward forward_tensors(RankBuilder& rank, const AttentionShape& shape) {
  const std::uint64_t q = shape.heads * shape.head_dim;
  const std::uint64_t kv = shape.kv_heads * shape.head_dim;
  AttentionForward x;
  x.shape = shape;
  x.q = rank.hbm("q", DType::kBf16, shape.sequence, q);
  x.k = rank.hbm("k", DType::kBf16, shape.sequence, kv);
  x.v = rank.hbm("v", DType::kBf16, shape.sequence, kv);
  x.out = rank.hbm("out", DType::kBf16, shape.sequence, q);
  x.lse = rank.hbm("lse", DType::kFp32, shape.sequence, shape.heads);
  return x;
}

const std::vector<KernelArgument> kArguments{{"seq", "4096", "tokens"},
                                             {"heads", "16", "query heads"},
                                             {"kv-heads", "2", "key/value heads"},
                                             {"head-dim", "128", "at most 128"}};

}  // namespace

KernelRow flash_attention_kernel() {
  return {"flash_attention", "causal attention forward, grouped queries, online softmax", kArguments,
          [](const KernelArguments& arguments, const MachineConfig& machine, std::size_t cores) {
            RankBuilder rank(machine, "flash_attention", cores);
            const AttentionForward x = forward_tensors(rank, shape_of(arguments));
            rank.kernel("flash_attention", x.shape.kv_heads, 1,
                        [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
                          flash_attention(core, x, begin, end);
                        });
            rank.program().model_flops = flash_attention_flops(x.shape);
            return rank.take();
          }};
}

KernelRow flash_attention_backward_kernel() {
  return {"flash_attention_bwd", "its backward pass: dq, dk, dv from dout, q, k, v, out and the log-sum-exp",
          kArguments, [](const KernelArguments& arguments, const MachineConfig& machine, std::size_t cores) {
            RankBuilder rank(machine, "flash_attention_bwd", cores);
            AttentionBackward y;
            y.forward = forward_tensors(rank, shape_of(arguments));
            const AttentionForward& x = y.forward;
            y.dout = rank.hbm("dout", DType::kBf16, x.shape.sequence, x.q.columns);
            y.dq = rank.hbm("dq", DType::kBf16, x.shape.sequence, x.q.columns);
            y.dk = rank.hbm("dk", DType::kBf16, x.shape.sequence, x.k.columns);
            y.dv = rank.hbm("dv", DType::kBf16, x.shape.sequence, x.k.columns);
            rank.kernel("flash_attention_bwd", x.shape.kv_heads, 1,
                        [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
                          flash_attention_backward(core, y, begin, end);
                        });
            rank.program().model_flops = flash_attention_backward_flops(x.shape);
            return rank.take();
          }};
}

}  // namespace trn
