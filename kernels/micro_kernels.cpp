// Microbenchmarks: one mechanism at a time.
#include "kernels/builder/rank_builder.h"
#include "kernels/registry.h"

namespace trn {
namespace {

constexpr std::size_t kSlots = 8;

// Stores of [rows, bytes] one after another, of slots that are filled once.
Program build_dma_store(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t rows = given.positive("rows"), bytes = given.positive("bytes"),
                      count = given.positive("count");
  RankBuilder rank(machine, "dma_copy", cores);
  const HbmTensor x = rank.hbm("x", DType::kUint8, rows * count, bytes);
  const std::size_t mode = given.choice("dge", {"default", "static", "hw"});
  if (mode > 0) rank.program().queues[kQueueStore].mode = static_cast<DescriptorMode>(mode - 1);
  rank.kernel("dma_copy", count, 1, [&](CoreBuilder& b, std::uint64_t begin, std::uint64_t end) {
    Tile& slot = b.sbuf_pool("copy", DType::kUint8, bytes, 1, static_cast<std::uint32_t>(rows)).next();
    b.compute(Engine::kVector, Opcode::kFill, View::whole(slot), {});
    for (std::uint64_t i = begin; i < end; ++i) b.store({x, i * rows, rows, 0, bytes}, View::whole(slot));
  });
  return rank.take();
}

// Loads of [rows, bytes] one after another into slots that nobody reads.
Program build_dma_copy(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t rows = given.positive("rows"), bytes = given.positive("bytes"),
                      count = given.positive("count");
  if (given.choice("way", {"load", "store"}) == 1) return build_dma_store(given, machine, cores);
  RankBuilder rank(machine, "dma_copy", cores);
  const HbmTensor x = rank.hbm("x", DType::kUint8, rows, bytes);
  QueueDecl& queue = rank.program().queues[kQueueLoad];
  const std::size_t mode = given.choice("dge", {"default", "static", "hw", "sw"});
  if (mode > 0) queue.mode = static_cast<DescriptorMode>(mode - 1);
  const Via via = queue.mode == DescriptorMode::kSoftware ? Via::kGather : Via::kLoad;
  if (via == Via::kGather) queue.mode = DescriptorMode::kStatic;
  rank.kernel("dma_copy", count, 1, [&](CoreBuilder& b, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t fit = b.sbuf_free() / ((bytes + 63) / 64 * 64);
    TilePool& slots =
        b.sbuf_pool("copy", DType::kUint8, bytes, std::min<std::uint64_t>({kSlots, fit, end - begin}),
                    static_cast<std::uint32_t>(rows));
    for (std::uint64_t i = begin; i < end; ++i) {
      Tile& slot = slots.next();
      b.load(View::whole(slot), {x, 0, rows, 0, bytes}, via);
      b.retire(slot);
    }
  });
  return rank.take();
}

}  // namespace

std::vector<KernelRow> micro_kernels() {
  return {{"dma_copy",
           "loads from HBM into SBUF, or stores back, one after another",
           {{"rows", "128", "partitions, up to 128"},
            {"bytes", "2048", "a partition"},
            {"count", "100", "transfers"},
            {"dge", "default", "who makes descriptors: static, hw, sw (loads)"},
            {"way", "load", "load, or store"}},
           build_dma_copy}};
}

}  // namespace trn
