// The row kernels of the kernel library.
#include "kernels/builder/rank_builder.h"
#include "kernels/pointwise.h"
#include "kernels/registry.h"

namespace trn {
namespace {

using Body = std::function<void(RankBuilder&, std::uint64_t rows, std::uint64_t columns)>;

// A kernel over [rows, columns]; `body` declares its tensors and appends itself.
KernelRow row_kernel(const std::string& name, const std::string& summary, const std::string& columns,
                     const Body& body) {
  return {name,
          summary,
          {{"rows", "4096", "tokens"}, {"columns", columns, "features"}},
          [name, body](const KernelArguments& arguments, const MachineConfig& machine, std::size_t cores) {
            RankBuilder rank(machine, name, cores);
            body(rank, arguments.positive("rows"), arguments.positive("columns"));
            return rank.take();
          }};
}

Rows tensor(RankBuilder& rank, const std::string& name, std::uint64_t rows, std::uint64_t columns) {
  return {rank.hbm(name, DType::kBf16, rows, columns)};
}

}  // namespace

std::vector<KernelRow> pointwise_kernels() {
  return {
      row_kernel("rmsnorm", "y = x / rms(x) * weight", "5120",
                 [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
                   const Rows x = tensor(rank, "x", rows, columns), w = tensor(rank, "w", 128, columns),
                              y = tensor(rank, "y", rows, columns);
                   rank.kernel("rmsnorm", rows, 128,
                               [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
                                 rmsnorm(core, x, w, y, b, e);
                               });
                 }),
      row_kernel("rmsnorm_bwd", "dx from dy, x and the weight", "5120",
                 [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
                   const Rows x = tensor(rank, "x", rows, columns), w = tensor(rank, "w", 128, columns);
                   const Rows dy = tensor(rank, "dy", rows, columns), dx = tensor(rank, "dx", rows, columns);
                   rank.kernel("rmsnorm_bwd", rows, 128,
                               [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
                                 rmsnorm_backward(core, x, w, dy, dy, dx, b, e);
                               });
                 }),
      row_kernel("residual_add", "out = a + b", "5120",
                 [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
                   const Rows x = tensor(rank, "a", rows, columns), y = tensor(rank, "b", rows, columns),
                              out = tensor(rank, "out", rows, columns);
                   rank.kernel("residual_add", rows, 128,
                               [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
                                 add_rows(core, x, y, out, b, e);
                               });
                 }),
      row_kernel("swiglu", "silu(gate) * up", "6400",
                 [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
                   const Rows gate_up = tensor(rank, "gate_up", rows, 2 * columns),
                              act = tensor(rank, "act", rows, columns);
                   rank.kernel("swiglu", rows, 128, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
                     swiglu(core, gate_up, act, b, e);
                   });
                 }),
      row_kernel("swiglu_bwd", "d(gate), d(up) from d(act)", "6400",
                 [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
                   const Rows gate_up = tensor(rank, "gate_up", rows, 2 * columns),
                              dact = tensor(rank, "dact", rows, columns);
                   const Rows dgate_up = tensor(rank, "dgate_up", rows, 2 * columns);
                   rank.kernel("swiglu_bwd", rows, 128,
                               [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
                                 swiglu_backward(core, gate_up, dact, dgate_up, b, e);
                               });
                 }),
      row_kernel("rope", "query/key norm and rotary embedding, heads of 128", "2048",
                 [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
                   const Rows x = tensor(rank, "x", rows, columns),
                              table = tensor(rank, "cos_sin", rows, 256),
                              y = tensor(rank, "y", rows, columns);
                   rank.kernel("rope", rows, 128, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
                     rope(core, x, table, y, columns / 128, 128, true, b, e);
                   });
                 }),
      row_kernel(
          "cross_entropy", "softmax(logits) - onehot over a vocabulary shard", "37984",
          [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
            const Rows x = tensor(rank, "logits", rows, columns), y = tensor(rank, "dlogits", rows, columns);
            rank.kernel("cross_entropy", rows, 128, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
              cross_entropy(core, x, y, b, e);
            });
          }),
      row_kernel(
          "embedding", "rows of a table", "5120",
          [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
            const Rows x = tensor(rank, "table", rows, columns), y = tensor(rank, "out", rows, columns);
            rank.kernel("embedding", rows, 128, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
              embedding(core, x, y, b, e);
            });
          }),
      {"adamw",
       "one AdamW step on a flat shard",
       {{"parameters", "4194304", "elements, rounded up to rows of 2048"}},
       [](const KernelArguments& arguments, const MachineConfig& machine, std::size_t cores) {
         RankBuilder rank(machine, "adamw", cores);
         const std::uint64_t rows = (arguments.positive("parameters") + kAdamColumns - 1) / kAdamColumns;
         const auto fp32 = [&](const char* name) { return rank.hbm(name, DType::kFp32, rows, kAdamColumns); };
         const AdamState state{fp32("master"), fp32("m"), fp32("v"), fp32("gradient"),
                               rank.hbm("parameter", DType::kBf16, rows, kAdamColumns)};
         rank.kernel("adamw", rows, 128,
                     [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) { adamw(core, state, b, e); });
         return rank.take();
       }}};
}

}  // namespace trn
