// Remembers what the transfers that cores trigger move, until the DMA engines ask for it: the requests carry
// sizes, not addresses.
#pragma once

#include <map>

#include "models/core/engine/core_evaluator.h"
#include "models/memory/dma/packet_transfer.h"

namespace trn {

// Numbers transfers itself, and passes everything on to `next`, if there is one, under the numbers that that
// gave.
class TransferRecorder : public ExecutionObserver {
 public:
  TransferRecorder(const Program& program, const CoreConfig& core, ExecutionObserver* next);

  void issued(const IssuedInstruction& issued) override;
  std::optional<std::int32_t> register_loaded(const IssuedInstruction& issued) override;
  std::uint64_t transfer_triggered(const IssuedInstruction& issued, Picoseconds first_byte,
                                   const TransferShape& shape) override;
  void transfer_done(std::uint64_t transfer, Picoseconds started, Picoseconds now) override;

  // Once for every request, in the order in which an engine's blocks of instructions are fetched.
  PacketTransfer take(const TransferRequest& request);

 private:
  struct Recorded {
    PacketTransfer transfer;
    std::uint64_t number;  // next's
  };

  const Program& program_;
  CoreConfig core_;
  ExecutionObserver* next_;
  HbmLayout layout_;
  std::uint64_t triggered_ = 0;
  std::map<std::uint64_t, Recorded> open_;                                    // by number
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint64_t> fetched_;  // blocks, by core and queue
};

}  // namespace trn
