// One engine's share of a transfer, packet by packet.
#pragma once

#include "models/memory/dma/packet_transfer.h"

namespace trn {

// Bytes [from, to) of the transfer: a row, or as much of a long one as fits a packet.
struct Packet {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  Picoseconds takes;  // of the engine
  std::uint64_t bytes() const { return to - from; }
};

class PacketShare {
 public:
  // Of the k-th engine that has a share; `work` must outlive it.
  PacketShare(const TransferWork& work, std::uint64_t k, const DmaConfig& dma);

  bool more() const { return parts_.count > 0; }
  // The next one, not yet taken; only while there is more.
  Packet next() const;
  void take();

 private:
  std::uint64_t part_end() const;

  const TransferWork* work_;
  Bytes packet_;
  Picoseconds row_overhead_;
  EngineParts parts_;    // from the current one on
  std::uint64_t bytes_;  // of the whole share
  std::uint64_t moved_ = 0;
  std::uint64_t at_ = 0;  // in the current part
};

}  // namespace trn
