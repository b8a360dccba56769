#include "models/memory/dma/packet_transfer.h"

#include <algorithm>

namespace trn {
namespace {

// Which rows a gather takes is data, which a run without data does not have: scattered ones stand for them.
std::uint64_t some_row(std::uint64_t number, std::uint64_t rows) {
  constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio, Knuth's multiplicative hash
  return (number * kMix >> 20) % rows;
}

}  // namespace

MemoryOperand::MemoryOperand(const AccessPattern& pattern, const TensorDecl& tensor, std::uint64_t base,
                             RowOrder order)
    : pattern_(pattern),
      tensor_(tensor),
      base_(base),
      order_(order),
      element_bytes_(size_of(tensor.dtype)),
      row_elements_(pattern.elements_per_row()),
      bytes_(row_elements_ * pattern.rows * element_bytes_),
      run_bytes_(run_elements(pattern, tensor, order) * element_bytes_) {}

std::uint64_t MemoryOperand::address(std::uint64_t byte) const {
  const std::uint64_t element = byte / element_bytes_;
  const std::uint64_t number = element / row_elements_;
  std::uint64_t rest = element % row_elements_;
  std::int64_t row = pattern_.row + static_cast<std::int64_t>(number);
  if (order_ == RowOrder::kByNumber) row = static_cast<std::int64_t>(some_row(number, tensor_.rows()));
  std::int64_t at = row * static_cast<std::int64_t>(tensor_.row_elements()) + pattern_.offset;
  for (std::uint32_t d = pattern_.dim_count; d-- > 0;) {
    at += static_cast<std::int64_t>(rest % pattern_.dims[d].num) * pattern_.dims[d].step;
    rest /= pattern_.dims[d].num;
  }
  return base_ + static_cast<std::uint64_t>(at) * element_bytes_ + byte % element_bytes_;
}

void MemoryOperand::append_spans(std::uint64_t from, std::uint64_t to, std::vector<MemorySpan>& spans) const {
  while (from < to) {
    const std::uint64_t end = std::min(to, (from / run_bytes_ + 1) * run_bytes_);
    spans.push_back({address(from), end - from});
    from = end;
  }
}

PacketTransfer packet_transfer(const Instruction& dma, const Program& program, const HbmLayout& layout,
                               const CoreConfig& core) {
  PacketTransfer transfer{transfer_work(dma, program, core), {}, {}};
  const auto kind = static_cast<DmaKind>(dma.kind);
  const auto add = [&](std::vector<MemoryOperand>& side, const AccessPattern& pattern, DmaKind by_number) {
    const TensorDecl& tensor = program.tensors[pattern.tensor];
    if (tensor.space == Space::kHbm)
      side.emplace_back(pattern, tensor, layout.base[pattern.tensor],
                        kind == by_number ? RowOrder::kByNumber : RowOrder::kInOrder);
  };
  add(transfer.reads, dma.src[0], DmaKind::kGather);
  add(transfer.writes, dma.dst, DmaKind::kScatter);
  if (kind == DmaKind::kAccumulate) add(transfer.reads, dma.dst, DmaKind::kScatter);
  if (kind == DmaKind::kDuplicate) add(transfer.writes, dma.src[1], DmaKind::kScatter);
  if (kind == DmaKind::kGather || kind == DmaKind::kScatter)  // the row numbers
    add(transfer.reads, dma.src[1], DmaKind::kCopy);
  return transfer;
}

PacketTransfer packet_fetch(std::uint64_t address, const CoreConfig& core) {
  const TransferWork work = fetch_work(core);
  TensorDecl block;
  block.dtype = DType::kUint8;
  block.dims = {1, work.bytes};
  AccessPattern all;
  all.dim_count = 1;
  all.dims[0] = {1, work.bytes};
  return {work, {MemoryOperand(all, block, address, RowOrder::kInOrder)}, {}};
}

}  // namespace trn
