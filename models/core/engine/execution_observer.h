// Told what a core executes and when: execution on data and the hazard checker listen.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"
#include "isa/program.h"
#include "models/core/engine/sequencer.h"
#include "models/memory/dma/dma_cost.h"

namespace trn {

// An instruction at issue, its times final.
struct IssuedInstruction {
  std::uint32_t core = 0;
  Engine engine = Engine::kTensor;
  const Instruction& instruction;
  const std::uint64_t* iteration;  // of the loops around it, outermost first
  const Sequencer& sequencer;      // of its engine
  Picoseconds start;
  Picoseconds complete;   // result visible; of a transfer: its trigger's end
  Picoseconds read{};     // operands consumed: what it occupies is free from then on
  Picoseconds ready{};    // what it waits for is there: it starts then, or when shared units are free
  Picoseconds waited{};   // until then, for a semaphore or a full queue alone
  Picoseconds limited{};  // of [start, read): added by the current limiter
  std::uint64_t flops = 0;
};

// The instruction with the terms of its loops and the values of its registers put in; a register that is not
// known stays.
Instruction resolved(const IssuedInstruction& issued);

// Start times never decrease over the calls of one rank. `transfer` numbers a DMA instruction for its
// completion.
class ExecutionObserver {
 public:
  virtual ~ExecutionObserver() = default;
  virtual void issued(const IssuedInstruction& issued) = 0;
  // What LDR finds, told before `issued`; nothing where there is no data.
  virtual std::optional<std::int32_t> register_loaded(const IssuedInstruction&) { return std::nullopt; }
  // A transfer will read its source from `first_byte` on; returns its number.
  virtual std::uint64_t transfer_triggered(const IssuedInstruction& issued, Picoseconds first_byte,
                                           const TransferShape& shape) = 0;
  // Its first byte moved at `started`, its last has arrived now.
  virtual void transfer_done(std::uint64_t transfer, Picoseconds started, Picoseconds now) = 0;
};

}  // namespace trn
