// What happened in a run, one event after the other: the stream that timelines and tables are made from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/memory/dma/dma_cost.h"
#include "sim/machine/run_listener.h"
#include "sim/timeline/operand_bytes.h"

namespace trn {

// Arrows join a trigger, what it triggered, and the first instruction that stood still for it; 0: none.
using ArrowId = std::uint64_t;

struct InstructionEvent {
  std::uint64_t rank = 0;
  std::uint32_t core = 0;
  Engine engine = Engine::kTensor;
  const Program& program;
  const Instruction& instruction;  // as written: loop terms and registers not put in
  std::uint64_t number = 0;        // of its engine, from 0
  Picoseconds start, read, complete;
  Picoseconds waited, limited;
  std::uint64_t flops = 0;
  std::int64_t wait_value = 0;  // what the semaphore it waits for had to reach
  ArrowId triggers = 0;         // DMA, COLL
  ArrowId waited_for = 0;       // and when that had come:
  Picoseconds came{};
};

struct TransferEvent {
  const InstructionEvent& trigger;
  const TransferShape& shape;
  Picoseconds started, done;  // first byte moves, last byte has arrived
};

// A DMA engine works on a part of a transfer.
struct PacketEvent {
  std::uint64_t rank = 0;
  const Program& program;
  const EnginePacket& packet;
};

struct CollectiveEvent {
  const CollectiveRecord& record;
  ArrowId arrow = 0;          // from its trigger to who stood still for it on core 0,
  ArrowId sibling_arrow = 0;  // and from here to who did on the other core of a pair
};

struct MoveEvent {
  std::uint64_t rank = 0;        // that executes it,
  std::uint64_t shown_with = 0;  // and the one that stands for it
  const CollectiveDecl& decl;
  CollectiveMove move;
};

// A region's instructions and transfers on one core, from entering it to leaving it.
struct RegionEvent {
  std::uint64_t rank = 0;
  std::uint32_t core = 0;
  const std::string* name = nullptr;
  Picoseconds begin, end;
};

// Gets all that concerns the ranks asked for, whatever the window. Nothing may be thrown while the run goes
// on.
class EventSink {
 public:
  virtual ~EventSink() = default;
  // Before the run; UserErrors may leave from here.
  // `ranks`: those that are told of.
  virtual void begin(const Job&, const MachineConfig&, Simulated, const std::vector<std::uint64_t>& ranks) {
    (void)ranks;
  }
  virtual void resource(const ResourceLabel&) {}
  virtual FlowListener* flows() { return nullptr; }
  virtual void instruction(const InstructionEvent&) {}
  virtual void transfer(const TransferEvent&) {}
  virtual void packet(const PacketEvent&) {}
  virtual void collective(const CollectiveEvent&) {}
  virtual void move(const MoveEvent&) {}
  virtual void region(const RegionEvent&) {}
  // The last call of a run that came to its end: what the others referred to goes.
  virtual void end() {}
  virtual bool wants_moves() const { return false; }
  virtual bool wants_packets() const { return false; }
};

}  // namespace trn
