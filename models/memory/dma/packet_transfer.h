// A transfer as its packets see it: the rows of each engine, and where in HBM they lie.
#pragma once

#include <vector>

#include "models/memory/dma/transfer_work.h"
#include "models/memory/hbm/hbm_layout.h"

namespace trn {

// Contiguous bytes of a stack.
struct MemorySpan {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// One side of a transfer that lies in HBM.
class MemoryOperand {
 public:
  MemoryOperand(const AccessPattern& pattern, const TensorDecl& tensor, std::uint64_t base, RowOrder order);

  std::uint32_t stack() const { return tensor_.stack; }
  std::uint64_t bytes() const { return bytes_; }
  // Where its bytes [from, to) lie, counted in the order of the pattern.
  void append_spans(std::uint64_t from, std::uint64_t to, std::vector<MemorySpan>& spans) const;

 private:
  std::uint64_t address(std::uint64_t byte) const;

  AccessPattern pattern_;
  TensorDecl tensor_;
  std::uint64_t base_;
  RowOrder order_;
  std::uint64_t element_bytes_, row_elements_, bytes_, run_bytes_;
};

struct PacketTransfer {
  TransferWork work;
  std::vector<MemoryOperand> reads, writes;
};

// `dma`: with the terms of its loops put in.
PacketTransfer packet_transfer(const Instruction& dma, const Program& program, const HbmLayout& layout,
                               const CoreConfig& core);

// A block of instructions that lies at `address` of the own stack.
PacketTransfer packet_fetch(std::uint64_t address, const CoreConfig& core);

}  // namespace trn
