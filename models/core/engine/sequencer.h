// One engine's registers, and what its control instructions do to them and to its place in the stream.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "isa/program.h"

namespace trn {

class Sequencer {
 public:
  // Nothing: loaded from memory in a run without data, or never set.
  std::optional<std::int32_t> value(std::uint8_t reg) const { return registers_[reg]; }
  std::optional<std::int32_t> value(const Scalar& scalar) const {
    return scalar.reg == kNoRegister ? scalar.value : registers_[scalar.reg];
  }
  void set(std::uint8_t reg, std::optional<std::int32_t> value) { registers_[reg] = value; }

  struct Outcome {
    bool jump = false;
    std::string problem;  // "": none
  };
  // MOVR, ALUR, BR, LOOP and ENDL; `loop` is the LOOP that an ENDL ends.
  Outcome execute(const Instruction& instruction, const Instruction* loop);

 private:
  Outcome branch(const Instruction& instruction) const;
  Outcome loop_again(const Instruction& loop) const;

  std::array<std::optional<std::int32_t>, kRegisters> registers_{};
};

// a op b on 32-bit integers, wrapping around; nothing for a division by zero.
std::optional<std::int32_t> register_alu(AluOp op, std::int32_t a, std::int32_t b);

}  // namespace trn
