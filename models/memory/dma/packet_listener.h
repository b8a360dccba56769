// Told which packets the DMA engines work on, where they are simulated one by one: for timelines.
#pragma once

#include "models/core/engine/core_evaluator.h"

namespace trn {

// While an engine works on a packet it takes no other; its bytes may arrive later.
struct EnginePacket {
  std::uint64_t engine = 0;  // of the core
  const TransferRequest& request;
  Bytes bytes;
  Picoseconds started, done;
};

class PacketListener {
 public:
  virtual ~PacketListener() = default;
  virtual void packet(const EnginePacket& packet) = 0;
};

}  // namespace trn
