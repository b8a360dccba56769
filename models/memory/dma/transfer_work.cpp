#include "models/memory/dma/transfer_work.h"

#include <algorithm>

namespace trn {
namespace {

constexpr std::uint64_t kMaxRowBytes = 65536;  // a descriptor's 16-bit length [official: driver udma.h]
constexpr std::uint64_t kTransposeBlock = 16;  // elements a transpose writes side by side, at its best

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

// Without partitions: descriptors of equal length, not shorter than 512 B.
TransferWork cut_evenly(std::uint64_t bytes, std::uint64_t run_bytes, const DmaConfig& dma) {
  TransferWork work;
  work.bytes = bytes;
  work.row_bytes = work.part_bytes =
      std::min({run_bytes, kMaxRowBytes, std::max<std::uint64_t>(512, ceil_div(bytes, dma.engines))});
  work.parts = ceil_div(bytes, work.row_bytes);
  work.engines = std::min(dma.engines, work.parts);
  work.each = ceil_div(work.parts, dma.engines);
  work.in_turn = true;
  work.rate = dma.engine_rate.count();
  return work;
}

std::uint64_t partitions_an_engine(const CoreConfig& core) {
  return ceil_div(core.sbuf.partitions, core.dma.engines);
}

TransferWork cut_by_partition(const AccessPattern& side, std::uint64_t partition_bytes, std::uint64_t bytes,
                              std::uint64_t run_bytes, const CoreConfig& core) {
  TransferWork work;
  work.bytes = bytes;
  work.parts = side.rows;
  work.part_bytes = partition_bytes;
  work.row_bytes = std::min(run_bytes, kMaxRowBytes);
  work.each = std::min<std::uint64_t>(partitions_an_engine(core), side.rows);
  work.engines = ceil_div(side.rows, work.each);
  work.first_engine =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, side.row)) / partitions_an_engine(core);
  work.rate = core.dma.engine_rate.count();
  return work;
}

class Cut {
 public:
  Cut(const Instruction& dma, const Program& program, const CoreConfig& core)
      : dma_(dma),
        program_(program),
        core_(core),
        kind_(static_cast<DmaKind>(dma.kind)),
        elements_(dma.dst.elements_per_row() * dma.dst.rows),
        width_(std::max(size_of(tensor(dma.dst).dtype), size_of(tensor(dma.src[0]).dtype))) {}

  TransferWork work() const {
    TransferWork work = rows();
    // A sum reads its destination too, so every row passes twice where the engines cannot add on the way.
    if (kind_ == DmaKind::kAccumulate) work.passes = core_.dma.accumulate_slowdown;
    if (kind_ == DmaKind::kTranspose) transpose(work);
    return work;
  }

 private:
  const TensorDecl& tensor(const AccessPattern& pattern) const { return program_.tensors[pattern.tensor]; }
  bool in_sbuf(const AccessPattern& pattern) const { return tensor(pattern).space == Space::kSbuf; }

  // The side that decides which engines work: the destination, if it has partitions.
  const AccessPattern* partitioned() const {
    if (in_sbuf(dma_.dst)) return &dma_.dst;
    if (kind_ == DmaKind::kDuplicate && in_sbuf(dma_.src[1])) return &dma_.src[1];
    return in_sbuf(dma_.src[0]) ? &dma_.src[0] : nullptr;
  }

  std::uint64_t run(const AccessPattern& pattern, DmaKind by_number) const {
    return run_elements(pattern, tensor(pattern),
                        kind_ == by_number ? RowOrder::kByNumber : RowOrder::kInOrder);
  }

  TransferWork rows() const {
    std::uint64_t run_length = std::min(run(dma_.dst, DmaKind::kScatter), run(dma_.src[0], DmaKind::kGather));
    if (kind_ == DmaKind::kDuplicate)
      run_length = std::min(run_length, run_elements(dma_.src[1], tensor(dma_.src[1]), RowOrder::kInOrder));
    const std::uint64_t bytes = elements_ * width_;
    const AccessPattern* const side = partitioned();
    if (side == nullptr) return cut_evenly(bytes, run_length * width_, core_.dma);
    return cut_by_partition(*side, ceil_div(elements_, side->rows) * width_, bytes, run_length * width_,
                            core_);
  }

  // A transpose keeps the source's rows but moves at a fraction of the rate. Into SBUF an engine transposes
  // blocks of its 8 partitions by 16 elements; a part of a block takes the time of a whole one.
  void transpose(TransferWork& work) const {
    work.rate = work.rate *
                (in_sbuf(dma_.src[0]) ? core_.dma.transpose_sbuf_efficiency_percent
                                      : core_.dma.transpose_efficiency_percent) /
                100;
    if (!in_sbuf(dma_.dst)) return;
    const std::uint64_t columns = ceil_div(dma_.dst.elements_per_row(), kTransposeBlock) * kTransposeBlock;
    work.engine_bytes = partitions_an_engine(core_) * columns * width_;
  }

  const Instruction& dma_;
  const Program& program_;
  const CoreConfig& core_;
  DmaKind kind_;
  std::uint64_t elements_;
  std::uint64_t width_;
};

}  // namespace

std::uint64_t run_elements(const AccessPattern& pattern, const TensorDecl& tensor, RowOrder order) {
  std::uint64_t run = 1;
  for (std::uint32_t d = pattern.dim_count; d-- > 0;) {
    if (pattern.dims[d].num > 1 && pattern.dims[d].step != static_cast<std::int64_t>(run)) return run;
    run *= pattern.dims[d].num;
  }
  const bool follow = tensor.space == Space::kHbm && order == RowOrder::kInOrder;
  return follow && run == tensor.row_elements() ? run * pattern.rows : run;
}

std::uint64_t TransferWork::largest_share() const {
  return in_turn ? std::min(each * part_bytes, bytes) : each * part_bytes;
}

Picoseconds TransferWork::moving_time(std::uint64_t moved, std::uint64_t share) const {
  const std::uint64_t passed =
      engine_bytes == 0 ? moved
                        : static_cast<std::uint64_t>(static_cast<unsigned __int128>(moved) * engine_bytes /
                                                     std::max<std::uint64_t>(1, share));
  return Picoseconds(ceil_div(passed * 1'000'000, rate) * passes);
}

TransferWork transfer_work(const Instruction& dma, const Program& program, const CoreConfig& core) {
  return Cut(dma, program, core).work();
}

TransferWork fetch_work(const CoreConfig& core) {
  const std::uint64_t bytes = core.sequencer.fetch_block.count();
  return cut_evenly(bytes, bytes, core.dma);
}

EngineParts engine_parts(const TransferWork& work, std::uint64_t k) {
  if (work.in_turn) return {k, work.engines, (work.parts - k + work.engines - 1) / work.engines};
  const std::uint64_t first = k * work.each;
  return {first, 1, std::min(work.each, work.parts - first)};
}

}  // namespace trn
