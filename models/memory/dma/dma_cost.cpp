#include "models/memory/dma/dma_cost.h"

#include <algorithm>

#include "base/error.h"
#include "models/memory/dma/transfer_work.h"

namespace trn {
namespace {

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

// Prices the rows; the engine with the largest share decides.
TransferShape priced(const TransferWork& work, const DmaConfig& dma) {
  const std::uint64_t largest = work.largest_share();
  const Picoseconds moving = work.moving_time(largest, largest);
  // A transpose counts whole blocks as bytes, not as a slow rate.
  const std::uint64_t passed = work.engine_bytes > 0 ? work.engine_bytes : largest;
  TransferShape shape;
  shape.bytes = Bytes(work.bytes);
  shape.rows = work.parts * work.rows_a_part();
  shape.engines = work.engines;
  shape.row_time = dma.row_overhead * work.largest_rows() * work.passes;
  shape.slow_rate_time = moving - Picoseconds(ceil_div(passed * 1'000'000, dma.engine_rate.count()));
  shape.slowest_engine = shape.row_time + moving;
  return shape;
}

class Shaping {
 public:
  Shaping(const Instruction& dma, const Program& program, const CoreConfig& core)
      : dma_(dma),
        program_(program),
        kind_(static_cast<DmaKind>(dma.kind)),
        shape_(priced(transfer_work(dma, program, core), core.dma)) {}

  TransferShape run() {
    count_hbm();
    return shape_;
  }

 private:
  const TensorDecl& tensor(const AccessPattern& pattern) const { return program_.tensors[pattern.tensor]; }

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
  DmaKind kind_;
  TransferShape shape_;
};

}  // namespace

TransferShape transfer_shape(const Instruction& dma, const Program& program, const CoreConfig& core) {
  return Shaping(dma, program, core).run();
}

TransferShape fetch_shape(const CoreConfig& core) {
  TransferShape shape = priced(fetch_work(core), core.dma);
  shape.hbm_read = shape.bytes;
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
