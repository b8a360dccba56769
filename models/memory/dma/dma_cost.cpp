#include "models/memory/dma/dma_cost.h"

#include <algorithm>

#include "base/error.h"

namespace trn {
namespace {

constexpr std::uint64_t kMaxRowBytes = 65536;  // a descriptor's 16-bit length [official: driver udma.h]
constexpr std::uint64_t kTransposeBlock = 16;  // elements a transpose writes side by side, at its best

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

enum class Rows { kInOrder, kByNumber };

// Elements that lie side by side at the inner end of the pattern. Rows by number follow each other nowhere.
std::uint64_t run_elements(const AccessPattern& pattern, const TensorDecl& tensor, Rows rows) {
  std::uint64_t run = 1;
  for (std::uint32_t d = pattern.dim_count; d-- > 0;) {
    if (pattern.dims[d].num > 1 && pattern.dims[d].step != static_cast<std::int64_t>(run)) return run;
    run *= pattern.dims[d].num;
  }
  const bool follow = tensor.space == Space::kHbm && rows == Rows::kInOrder;
  return follow && run == tensor.row_elements() ? run * pattern.rows : run;
}

// What the engines have to do, before its price.
struct Work {
  std::uint64_t rows = 0;     // of all engines
  std::uint64_t engines = 0;  // that have a share
  std::uint64_t largest_rows = 0;
  std::uint64_t largest_bytes = 0;
};

// Without partitions: descriptors of equal length, not shorter than 512 B.
Work cut_evenly(std::uint64_t bytes, std::uint64_t run_bytes, const DmaConfig& dma) {
  const std::uint64_t row_bytes =
      std::min({run_bytes, kMaxRowBytes, std::max<std::uint64_t>(512, ceil_div(bytes, dma.engines))});
  Work work;
  work.rows = ceil_div(bytes, row_bytes);
  work.engines = std::min(dma.engines, work.rows);
  work.largest_rows = ceil_div(work.rows, dma.engines);
  work.largest_bytes = std::min(work.largest_rows * row_bytes, bytes);
  return work;
}

Work cut_by_partition(std::uint64_t partitions, std::uint64_t partition_bytes, std::uint64_t run_bytes,
                      const CoreConfig& core) {
  const std::uint64_t rows = ceil_div(partition_bytes, std::min(run_bytes, kMaxRowBytes));
  const std::uint64_t each = std::min(ceil_div(core.sbuf.partitions, core.dma.engines), partitions);
  return {partitions * rows, ceil_div(partitions, each), each * rows, each * partition_bytes};
}

class Shaping {
 public:
  Shaping(const Instruction& dma, const Program& program, const CoreConfig& core)
      : dma_(dma),
        program_(program),
        core_(core),
        kind_(static_cast<DmaKind>(dma.kind)),
        elements_(dma.dst.elements_per_row() * dma.dst.rows),
        width_(std::max(size_of(tensor(dma.dst).dtype), size_of(tensor(dma.src[0]).dtype))) {}

  TransferShape run() {
    const Work work = kind_ == DmaKind::kTranspose ? whole_blocks(cut()) : cut();
    shape_.bytes = Bytes(elements_ * width_);
    shape_.rows = work.rows;
    shape_.engines = work.engines;
    const std::uint64_t moving = ceil_div(work.largest_bytes * 1'000'000, rate());
    // A sum reads its destination too, so every row passes twice where the engines cannot add on the way.
    const std::uint64_t passes = kind_ == DmaKind::kAccumulate ? core_.dma.accumulate_slowdown : 1;
    const std::uint64_t full_rate = ceil_div(work.largest_bytes * 1'000'000, core_.dma.engine_rate.count());
    shape_.row_time = core_.dma.row_overhead * work.largest_rows * passes;
    shape_.slow_rate_time = Picoseconds(moving * passes - full_rate);
    shape_.slowest_engine = shape_.row_time + Picoseconds(moving * passes);
    count_hbm();
    return shape_;
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

  Work cut() const {
    const auto rows = [&](DmaKind by_number) {
      return kind_ == by_number ? Rows::kByNumber : Rows::kInOrder;
    };
    std::uint64_t run = std::min(run_elements(dma_.dst, tensor(dma_.dst), rows(DmaKind::kScatter)),
                                 run_elements(dma_.src[0], tensor(dma_.src[0]), rows(DmaKind::kGather)));
    if (kind_ == DmaKind::kDuplicate)
      run = std::min(run, run_elements(dma_.src[1], tensor(dma_.src[1]), Rows::kInOrder));
    const AccessPattern* const side = partitioned();
    if (side == nullptr) return cut_evenly(elements_ * width_, run * width_, core_.dma);
    return cut_by_partition(side->rows, ceil_div(elements_, side->rows) * width_, run * width_, core_);
  }

  // An engine transposes blocks of its 8 partitions by 16 elements; a part of a block takes the time of a
  // whole one.
  Work whole_blocks(Work work) const {
    if (!in_sbuf(dma_.dst)) return work;
    const std::uint64_t columns = ceil_div(dma_.dst.elements_per_row(), kTransposeBlock) * kTransposeBlock;
    work.largest_bytes = ceil_div(core_.sbuf.partitions, core_.dma.engines) * columns * width_;
    return work;
  }

  // A transpose keeps the source's rows but moves at a fraction of the rate.
  std::uint64_t rate() const {
    const std::uint64_t full = core_.dma.engine_rate.count();
    if (kind_ != DmaKind::kTranspose) return full;
    const std::uint64_t percent = in_sbuf(dma_.src[0]) ? core_.dma.transpose_sbuf_efficiency_percent
                                                       : core_.dma.transpose_efficiency_percent;
    return full * percent / 100;
  }

  void count_hbm() {
    read(dma_.src[0]);
    write(dma_.dst);
    if (kind_ == DmaKind::kAccumulate) read(dma_.dst);
    if (kind_ == DmaKind::kDuplicate) write(dma_.src[1]);
    if (kind_ == DmaKind::kGather || kind_ == DmaKind::kScatter) read(dma_.src[1]);  // the row numbers
  }

  static Bytes size(const AccessPattern& pattern, const TensorDecl& tensor) {
    return Bytes(pattern.elements_per_row() * pattern.rows * size_of(tensor.dtype));
  }
  void read(const AccessPattern& pattern) {
    if (tensor(pattern).space != Space::kHbm) return;
    const Bytes bytes = size(pattern, tensor(pattern));
    shape_.hbm_read += bytes;
    if (tensor(pattern).stack != 0) remote(tensor(pattern).stack).read += bytes;
  }
  void write(const AccessPattern& pattern) {
    if (tensor(pattern).space != Space::kHbm) return;
    const Bytes bytes = size(pattern, tensor(pattern));
    shape_.hbm_write += bytes;
    if (tensor(pattern).stack != 0) remote(tensor(pattern).stack).write += bytes;
  }
  RemoteBytes& remote(std::uint32_t stack) {
    for (RemoteBytes& r : shape_.remote) {
      if (r.stack == 0) r.stack = stack;
      if (r.stack == stack) return r;
    }
    TRN_CHECK(false, "a transfer touches more stacks than it has operands");
  }

  const Instruction& dma_;
  const Program& program_;
  const CoreConfig& core_;
  DmaKind kind_;
  std::uint64_t elements_;
  std::uint64_t width_;
  TransferShape shape_;
};

}  // namespace

TransferShape transfer_shape(const Instruction& dma, const Program& program, const CoreConfig& core) {
  return Shaping(dma, program, core).run();
}

TransferShape fetch_shape(const CoreConfig& core) {
  const std::uint64_t bytes = core.sequencer.fetch_block.count();
  const Work work = cut_evenly(bytes, bytes, core.dma);
  TransferShape shape;
  shape.bytes = shape.hbm_read = Bytes(bytes);
  shape.rows = work.rows;
  shape.engines = work.engines;
  shape.row_time = core.dma.row_overhead * work.largest_rows;
  shape.slowest_engine =
      shape.row_time + Picoseconds(ceil_div(work.largest_bytes * 1'000'000, core.dma.engine_rate.count()));
  return shape;
}

Picoseconds descriptor_time(const TransferShape& shape, DescriptorMode mode, const DmaConfig& dma) {
  switch (mode) {
    case DescriptorMode::kStatic:
      return dma.static_interval;
    case DescriptorMode::kHardware:
      return dma.hardware_interval;
    case DescriptorMode::kSoftware:
      break;
  }
  return dma.software_interval + dma.software_row * shape.rows;
}

// Engine k of n starts k/(n-1) of the skew late. Only the head of a transfer shows it: engines that are busy
// with the one before are not late.
Picoseconds start_delay(const TransferShape& shape, DescriptorMode mode, const DmaConfig& dma) {
  const Picoseconds head = std::max(dma.trigger_latency, descriptor_time(shape, mode, dma));
  if (dma.engines < 2) return head;
  return head + Picoseconds(dma.start_skew.count() * (shape.engines - 1) / (dma.engines - 1));
}

}  // namespace trn
