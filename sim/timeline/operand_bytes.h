// What an instruction of a compute engine reads and writes, by memory.
#pragma once

#include <array>

#include "isa/program.h"

namespace trn {

struct OperandBytes {
  std::array<std::uint64_t, kSpaces.size()> read{}, written{};  // by Space
  std::uint64_t read_from(Space space) const { return read[static_cast<std::size_t>(space)]; }
  std::uint64_t written_to(Space space) const { return written[static_cast<std::size_t>(space)]; }
};

// Calls `access(pattern, written)` for every operand.
template <class Access>
void each_operand(const Instruction& i, Access access) {
  if (takes_destination(info(i.opcode).operands)) access(i.dst, true);
  for (std::size_t s = 0; s < i.source_count; ++s) access(i.src[s], is_result(i, s));
}

OperandBytes operand_bytes(const Instruction& instruction, const Program& program);

}  // namespace trn
