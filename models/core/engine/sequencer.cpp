#include "models/core/engine/sequencer.h"

#include <algorithm>

#include "base/error.h"

namespace trn {
namespace {

const std::string kUnknown =
    "depends on a register whose value is not known; run it on data (--functional), or set the register";

std::int32_t wrapped(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value)));
}

}  // namespace

std::optional<std::int32_t> register_alu(AluOp op, std::int32_t a, std::int32_t b) {
  const std::int64_t x = a;
  const std::int64_t y = b;
  const unsigned shift = static_cast<unsigned>(b) & 31u;
  switch (op) {
    case AluOp::kAdd:
      return wrapped(x + y);
    case AluOp::kSubtract:
      return wrapped(x - y);
    case AluOp::kMultiply:
      return wrapped(x * y);
    case AluOp::kDivide:
      return y == 0 ? std::nullopt : std::optional(wrapped(x / y));
    case AluOp::kMod:
      return y == 0 ? std::nullopt : std::optional(wrapped(x % y));
    case AluOp::kMax:
      return std::max(a, b);
    case AluOp::kMin:
      return std::min(a, b);
    case AluOp::kAbsMax:
      return wrapped(std::max(x < 0 ? -x : x, y < 0 ? -y : y));
    case AluOp::kAbsMin:
      return wrapped(std::min(x < 0 ? -x : x, y < 0 ? -y : y));
    case AluOp::kIsGreaterEqual:
      return a >= b;
    case AluOp::kIsGreater:
      return a > b;
    case AluOp::kIsLess:
      return a < b;
    case AluOp::kIsLessEqual:
      return a <= b;
    case AluOp::kIsEqual:
      return a == b;
    case AluOp::kIsNotEqual:
      return a != b;
    case AluOp::kLogicalAnd:
      return a != 0 && b != 0;
    case AluOp::kLogicalOr:
      return a != 0 || b != 0;
    case AluOp::kBitwiseAnd:
      return a & b;
    case AluOp::kBitwiseOr:
      return a | b;
    case AluOp::kBitwiseXor:
      return a ^ b;
    case AluOp::kShiftLeft:
      return wrapped(static_cast<std::int64_t>(static_cast<std::uint64_t>(x) << shift));
    case AluOp::kShiftRight:
      return wrapped(static_cast<std::int64_t>(static_cast<std::uint32_t>(a) >> shift));
    default:
      break;
  }
  TRN_CHECK(false, "not an operation on registers");
}

Sequencer::Outcome Sequencer::branch(const Instruction& i) const {
  if (i.op0 == AluOp::kNone) return {true, ""};
  const std::optional<std::int32_t> a = value(i.control.scalars[0]);
  const std::optional<std::int32_t> b = value(i.control.scalars[1]);
  if (!a || !b) return {false, kUnknown};
  return {*register_alu(i.op0, *a, *b) != 0, ""};
}

Sequencer::Outcome Sequencer::loop_again(const Instruction& loop) const {
  const std::optional<std::int32_t> at = value(loop.control.reg);
  const std::optional<std::int32_t> to = value(loop.control.scalars[1]);
  if (!at || !to) return {false, kUnknown};
  return {*at < *to, ""};
}

Sequencer::Outcome Sequencer::execute(const Instruction& i, const Instruction* loop) {
  const auto& scalars = i.control.scalars;
  switch (i.opcode) {
    case Opcode::kMoveRegister:
      set(i.control.reg, value(scalars[0]));
      return {};
    case Opcode::kAluRegister: {
      const std::optional<std::int32_t> a = value(scalars[0]);
      const std::optional<std::int32_t> b = value(scalars[1]);
      if (!a || !b) {
        set(i.control.reg, std::nullopt);
        return {};
      }
      const std::optional<std::int32_t> result = register_alu(i.op0, *a, *b);
      set(i.control.reg, result);
      return {false, result ? "" : "divides by zero"};
    }
    case Opcode::kBranch:
      return branch(i);
    case Opcode::kLoop: {
      set(i.control.reg, value(scalars[0]));
      Outcome outcome = loop_again(i);
      outcome.jump = !outcome.jump;  // past ENDL
      return outcome;
    }
    case Opcode::kEndLoop: {
      if (const std::optional<std::int32_t> at = value(loop->control.reg))
        set(loop->control.reg, wrapped(std::int64_t{*at} + loop->control.scalars[2].value));
      return loop_again(*loop);
    }
    default:
      return {};
  }
}

}  // namespace trn
