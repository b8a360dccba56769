// Neuron Explorer's table Instruction: one row an instruction that a sequencer issued.
#pragma once

#include <optional>

#include "sim/tables/table.h"
#include "sim/timeline/run_events.h"

namespace trn {

struct InstructionSource {
  const InstructionEvent& instruction;
  const TransferEvent* transfer = nullptr;  // a DMA instruction's
  std::int64_t id = 0;
  std::uint32_t core_version = 3;
  OperandBytes bytes{};
};

const TableSpec& instruction_table();
void instruction_row(const InstructionSource& source, TableRow& row);

}  // namespace trn
