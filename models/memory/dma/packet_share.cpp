#include "models/memory/dma/packet_share.h"

#include <algorithm>

namespace trn {
namespace {

std::uint64_t bytes_of(const TransferWork& work, const EngineParts& parts) {
  if (parts.count == 0) return 0;
  const std::uint64_t last = parts.first + (parts.count - 1) * parts.step;
  return (parts.count - 1) * work.part_bytes + std::min(work.part_bytes, work.bytes - last * work.part_bytes);
}

}  // namespace

PacketShare::PacketShare(const TransferWork& work, std::uint64_t k, const DmaConfig& dma)
    : work_(&work),
      packet_(dma.packet),
      row_overhead_(dma.row_overhead),
      parts_(engine_parts(work, k)),
      bytes_(bytes_of(work, parts_)) {}

std::uint64_t PacketShare::part_end() const {
  return std::min((parts_.first + 1) * work_->part_bytes, work_->bytes) - parts_.first * work_->part_bytes;
}

// The bytes' time is the difference of two sums, so that rounding does not add up over the share.
Packet PacketShare::next() const {
  const std::uint64_t start = parts_.first * work_->part_bytes;
  const std::uint64_t row = at_ / work_->row_bytes * work_->row_bytes;
  const std::uint64_t end = std::min({at_ + packet_.count(), row + work_->row_bytes, part_end()});
  Packet packet{start + at_, start + end, {}};
  packet.takes = work_->moving_time(moved_ + packet.bytes(), bytes_) - work_->moving_time(moved_, bytes_);
  if (at_ == row) packet.takes += row_overhead_ * work_->passes;
  return packet;
}

void PacketShare::take() {
  const std::uint64_t bytes = next().bytes();
  moved_ += bytes;
  at_ += bytes;
  if (at_ < part_end()) return;
  at_ = 0;
  parts_.first += parts_.step;
  --parts_.count;
}

}  // namespace trn
