// The ISA, all of it. Assembler, disassembler, rule checker and trace reader read this table; none of
// them has a switch over opcodes. Numbers are the ones stored in traces and never change.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/engine.h"

namespace trn {

enum class Opcode : std::uint8_t {
  kNop = 0,
  kWait = 1,
  kPost = 2,
  kLoadWeights = 12,
  kMatmul = 13,
  kTranspose = 16,
  kCopy = 17,
  kFill = 19,
  kTensorTensor = 20,
  kTensorScalar = 21,
  kScalarTensorTensor = 22,
  kReduce = 25,
  kReciprocal = 28,
  kActivation = 38,
  kReadAccumulator = 39,
  kGenerate = 40,
  kDma = 43,
  kCollective = 44
};

// What an operand position may be.
enum class Operands : std::uint8_t { kNone, kSource, kDst, kDstSource, kDstSourceSource, kDstSourceOptional };

struct OpcodeInfo {
  Opcode opcode;
  std::string_view mnemonic;
  EngineMask engines;
  Operands operands;
  std::string_view summary;
};

inline constexpr EngineMask kPe = mask_of(Engine::kTensor);
inline constexpr EngineMask kDve = mask_of(Engine::kVector);
inline constexpr EngineMask kAct = mask_of(Engine::kScalar);
inline constexpr EngineMask kPool = mask_of(Engine::kGpSimd);
inline constexpr EngineMask kAnyEngine = 31;

inline constexpr std::array kOpcodes{
    OpcodeInfo{Opcode::kNop, "NOP", kAnyEngine, Operands::kNone, "takes an issue slot"},
    OpcodeInfo{Opcode::kWait, "WAIT", kAnyEngine, Operands::kNone, "waits on a semaphore, no other effect"},
    OpcodeInfo{Opcode::kPost, "POST", kAnyEngine, Operands::kNone,
               "posts when all older instructions are complete"},
    OpcodeInfo{Opcode::kLoadWeights, "LDW", kPe, Operands::kSource, "LoadStationary: weights into the array"},
    OpcodeInfo{Opcode::kMatmul, "MM", kPe, Operands::kDstSource,
               "MultiplyMoving: PSUM (+)= weights^T x moving"},
    OpcodeInfo{Opcode::kTranspose, "TRP", kPe | kDve, Operands::kDstSource,
               "2-D transpose (PE <=128x128, DVE 32x32)"},
    OpcodeInfo{Opcode::kCopy, "COPY", kDve | kAct | kPool, Operands::kDstSource, "tensor_copy, casts"},
    OpcodeInfo{Opcode::kFill, "FILL", kDve | kPool, Operands::kDst, "memset"},
    OpcodeInfo{Opcode::kTensorTensor, "TT", kDve | kPool, Operands::kDstSourceSource, "elementwise binary"},
    OpcodeInfo{Opcode::kTensorScalar, "TS", kDve | kAct | kPool, Operands::kDstSourceOptional,
               "(x op0 a) op1 b with immediates or one [P,1] operand"},
    OpcodeInfo{Opcode::kScalarTensorTensor, "STT", kDve, Operands::kDstSourceSource, "(x op0 a) op1 y"},
    OpcodeInfo{Opcode::kReduce, "RED", kDve, Operands::kDstSource, "free-axis reduction"},
    OpcodeInfo{Opcode::kReciprocal, "RECIP", kDve, Operands::kDstSource, "1/x"},
    OpcodeInfo{Opcode::kActivation, "ACT", kAct, Operands::kDstSourceOptional,
               "f(x*scale + bias), optional row sum"},
    OpcodeInfo{Opcode::kReadAccumulator, "ACTRD", kAct, Operands::kDst, "reads the row sums of ACT"},
    OpcodeInfo{Opcode::kGenerate, "GEN", kPool, Operands::kDstSourceOptional, "iota or affine_select"},
    OpcodeInfo{Opcode::kDma, "DMA", kAnyEngine, Operands::kDstSource, "triggers a transfer on a queue"},
    OpcodeInfo{Opcode::kCollective, "COLL", kAnyEngine, Operands::kNone,
               "triggers a collective on the CC-cores"},
};

constexpr bool takes_destination(Operands operands) {
  return operands != Operands::kNone && operands != Operands::kSource;
}
constexpr std::size_t min_sources(Operands operands) {
  if (operands == Operands::kNone || operands == Operands::kDst) return 0;
  return operands == Operands::kDstSourceSource ? 2 : 1;
}
constexpr std::size_t max_sources(Operands operands) {
  return operands == Operands::kDstSourceOptional ? 2 : min_sources(operands);
}

const OpcodeInfo& info(Opcode opcode);
const OpcodeInfo* find_opcode(std::string_view mnemonic);
const OpcodeInfo* find_opcode(std::uint32_t number);
std::vector<std::string> mnemonics();

// Arithmetic of TT, TS, STT and RED.
enum class AluOp : std::uint8_t { kNone, kAdd, kSubtract, kMultiply, kMax, kMin, kIsGreaterEqual, kPower };
inline constexpr std::array<std::string_view, 8> kAluOps{"none", "add", "subtract", "multiply",
                                                         "max",  "min", "is_ge",    "power"};

// Activation functions, and the table set each one needs: a set change costs a table load.
// Membership is inferred (the vendor publishes that sets exist, not their content).
enum class ActFn : std::uint8_t {
  kCopy,
  kSquare,
  kExp,
  kLog,
  kRsqrt,
  kSqrt,
  kSigmoid,
  kSilu,
  kSiluDerivative,
  kTanh,
  kGelu
};
struct ActFnInfo {
  ActFn fn;
  std::string_view name;
  std::uint8_t table;  // 0: needs no table
};
inline constexpr std::array kActFns{
    ActFnInfo{ActFn::kCopy, "copy", 0},
    ActFnInfo{ActFn::kSquare, "square", 0},
    ActFnInfo{ActFn::kExp, "exp", 1},
    ActFnInfo{ActFn::kLog, "log", 1},
    ActFnInfo{ActFn::kRsqrt, "rsqrt", 2},
    ActFnInfo{ActFn::kSqrt, "sqrt", 2},
    ActFnInfo{ActFn::kSigmoid, "sigmoid", 3},
    ActFnInfo{ActFn::kSilu, "silu", 3},
    ActFnInfo{ActFn::kSiluDerivative, "silu_dx", 3},
    ActFnInfo{ActFn::kTanh, "tanh", 4},
    ActFnInfo{ActFn::kGelu, "gelu", 4},
};
constexpr const ActFnInfo& info(ActFn fn) { return kActFns[static_cast<std::size_t>(fn)]; }

}  // namespace trn
