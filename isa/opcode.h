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
  kLoadWeightsMx = 14,
  kMatmulMx = 15,
  kTranspose = 16,
  kCopy = 17,
  kCopyPredicated = 18,
  kFill = 19,
  kTensorTensor = 20,
  kTensorScalar = 21,
  kScalarTensorTensor = 22,
  kScan = 23,
  kCumulate = 24,
  kReduce = 25,
  kRangeSelect = 26,
  kSelectReduce = 27,
  kReciprocal = 28,
  kBnStats = 29,
  kBnAggregate = 30,
  kShuffle = 31,
  kMax8 = 32,
  kFindIndex8 = 33,
  kMatchReplace8 = 34,
  kRandom = 35,
  kExponential = 36,
  kQuantizeMx = 37,
  kActivation = 38,
  kReadAccumulator = 39,
  kGenerate = 40,
  kGather = 41,
  kPartition = 42,
  kDma = 43,
  kCollective = 44
};

// What operands an opcode takes. A scalar source is one element a partition.
struct Operands {
  bool dst = false;
  std::uint8_t min_sources = 0;
  std::uint8_t max_sources = 0;
};

// The forms of opcodes that have several, in the order of their names in the table.
enum class DmaKind : std::uint8_t { kCopy, kTranspose, kAccumulate, kGather, kScatter };
enum class GenerateKind : std::uint8_t { kIota, kAffineSelect };
enum class GatherKind : std::uint8_t { kLocal, kEach };
enum class PartitionKind : std::uint8_t { kReduce, kSequenceBounds, kNonzero, kTopK };
enum class RandomKind : std::uint8_t { kRaw, kUniform, kDropout, kSeed };
using KindNames = std::array<std::string_view, 5>;

struct OpcodeInfo {
  Opcode opcode;
  std::string_view mnemonic;
  EngineMask v2, v3, v4;  // the engines that have it, by NeuronCore version
  Operands operands;
  std::string_view vendor;  // as the Neuron documentation names it
  std::string_view summary;
  std::string_view cost;  // in cycles of the engine; N: elements a partition
  KindNames kinds{};      // empty: only one form

  EngineMask engines(std::uint32_t version) const { return version <= 2 ? v2 : version == 3 ? v3 : v4; }
  std::size_t kind_count() const {
    std::size_t count = 0;
    while (count < kinds.size() && !kinds[count].empty()) ++count;
    return count;
  }
};

inline constexpr EngineMask kPe = mask_of(Engine::kTensor);
inline constexpr EngineMask kDve = mask_of(Engine::kVector);
inline constexpr EngineMask kAct = mask_of(Engine::kScalar);
inline constexpr EngineMask kPool = mask_of(Engine::kGpSimd);
inline constexpr EngineMask kAny = 31;
inline constexpr EngineMask kVap = kDve | kAct | kPool;
inline constexpr EngineMask kVp = kDve | kPool;

inline constexpr std::array kOpcodes{
    OpcodeInfo{Opcode::kNop, "NOP", kAny, kAny, kAny, {}, "NOP", "takes an issue slot", "control"},
    OpcodeInfo{Opcode::kWait,
               "WAIT",
               kAny,
               kAny,
               kAny,
               {},
               "EVENT_SEMAPHORE",
               "waits on a semaphore, no other effect",
               "control"},
    OpcodeInfo{Opcode::kPost,
               "POST",
               kAny,
               kAny,
               kAny,
               {},
               "EVENT_SEMAPHORE",
               "posts when all older instructions are complete",
               "control"},
    OpcodeInfo{Opcode::kLoadWeights,
               "LDW",
               kPe,
               kPe,
               kPe,
               {false, 1, 1},
               "nc_matmul (LDWEIGHTS)",
               "LoadStationary: weights [K, M] into the array",
               "M/4, beside the running multiply"},
    OpcodeInfo{Opcode::kMatmul,
               "MM",
               kPe,
               kPe,
               kPe,
               {true, 1, 1},
               "nc_matmul (MATMUL)",
               "MultiplyMoving: PSUM [M, N] (+)= transpose(weights) x moving [K, N]",
               "max(64, N) + bubble; fp32 4 passes in 2 opcodes; fp8 double row half the K steps"},
    OpcodeInfo{Opcode::kLoadWeightsMx,
               "LDWX",
               0,
               0,
               kPe,
               {false, 2, 2},
               "nc_matmul_mx (LDWEIGHTS)",
               "weights in an x4 type and their e8m0 scales",
               "M/4"},
    OpcodeInfo{Opcode::kMatmulMx,
               "MMX",
               0,
               0,
               kPe,
               {true, 2, 2},
               "nc_matmul_mx",
               "multiplies x4 moving data and its e8m0 scales: K of 512",
               "max(64, N) + bubble for K of 512"},
    OpcodeInfo{Opcode::kTranspose,
               "TRP",
               kPe | kDve,
               kPe | kDve,
               kPe | kDve,
               {true, 1, 1},
               "nc_transpose",
               "2-D transpose: PE up to 128x128 into PSUM, DVE blocks of 32x32",
               "PE: max(P, min(64, F)) + bubble; DVE: max(64, N)"},
    OpcodeInfo{Opcode::kCopy,
               "COPY",
               kVp,
               kVap,
               kVap,
               {true, 1, 1},
               "tensor_copy",
               "copies, casts where the dtypes differ",
               "max(64, N); DVE 2x and 4x modes, ACT 2x on v4; POOL: start + N"},
    OpcodeInfo{Opcode::kCopyPredicated,
               "CPRED",
               kDve,
               kDve,
               kDve,
               {true, 2, 2},
               "tensor_copy_predicated",
               "dst = src where the predicate is not 0",
               "max(64, N) with a PSUM operand, else max(64, 2N)"},
    OpcodeInfo{Opcode::kFill,
               "FILL",
               kVp,
               kVp,
               kVp,
               {true, 0, 0},
               "memset",
               "dst = imm0",
               "max(64, N); zeros of 16 bits max(64, N/2); POOL: start + N"},
    OpcodeInfo{Opcode::kTensorTensor,
               "TT",
               kVp,
               kVp,
               kVp,
               {true, 2, 2},
               "tensor_tensor",
               "x op0 y",
               "max(64, N) with a PSUM operand or 16-bit operands, else max(64, 2N); POOL: start + 2N"},
    OpcodeInfo{Opcode::kTensorScalar,
               "TS",
               kVap,
               kVap,
               kVap,
               {true, 1, 3},
               "tensor_scalar",
               "(x op0 a) op1 b; a and b immediates or scalar sources; rc= reduces the row as well",
               "as COPY"},
    OpcodeInfo{Opcode::kScalarTensorTensor,
               "STT",
               kDve,
               kDve,
               kDve,
               {true, 2, 3},
               "scalar_tensor_tensor",
               "(x op0 a) op1 y; a is imm0 or a third, scalar source",
               "2N; N with 16-bit operands, subtract and multiply"},
    OpcodeInfo{Opcode::kScan,
               "SCAN",
               kDve,
               kDve,
               kDve,
               {true, 2, 3},
               "tensor_tensor_scan",
               "r = (x op0 r) op1 y along the row; r starts at imm0 or a third, scalar source",
               "max(64, 2N)"},
    OpcodeInfo{Opcode::kCumulate,
               "CUM",
               kDve,
               kDve,
               kDve,
               {true, 1, 1},
               "tensor_scalar_cumulative",
               "r = (x op0 imm0) op1 r along the row; r starts at imm1",
               "max(64, N)"},
    OpcodeInfo{Opcode::kReduce,
               "RED",
               kDve,
               kDve,
               kDve,
               {true, 1, 1},
               "tensor_reduce",
               "op0 over the trailing free elements, as many as x has for one of dst",
               "max(64, N); N/2 for 16-bit add and max"},
    OpcodeInfo{
        Opcode::kRangeSelect,
        "RSEL",
        0,
        kDve,
        kDve,
        {true, 3, 3},
        "range_select",
        "x where low <= index < high (scalar sources), the least fp32 elsewhere; rc= keeps the maximum",
        "max(64, N)"},
    OpcodeInfo{Opcode::kSelectReduce,
               "SSEL",
               kDve,
               kDve,
               kDve,
               {true, 2, 3},
               "select_reduce",
               "x where the predicate is not 0, imm0 or a third, scalar source elsewhere; rc= reduces",
               "as CPRED"},
    OpcodeInfo{
        Opcode::kReciprocal, "RECIP", kDve, kDve, kDve, {true, 1, 1}, "reciprocal", "1/x", "max(64, 8N)"},
    OpcodeInfo{Opcode::kBnStats,
               "BNS",
               kDve,
               kDve,
               kDve,
               {true, 1, 1},
               "bn_stats",
               "count, mean, count x variance of the even and of the odd elements",
               "max(64, N)"},
    OpcodeInfo{Opcode::kBnAggregate,
               "BNA",
               kDve,
               kDve,
               kDve,
               {true, 1, 1},
               "bn_aggr",
               "mean and variance from triples of BNS",
               "max(64, 13N/3)"},
    OpcodeInfo{Opcode::kShuffle,
               "SHUF",
               kDve,
               kDve,
               kDve,
               {true, 1, 1},
               "nc_stream_shuffle",
               "partition i of each 32 from partition table[i]; 255 keeps",
               "max(64, N)"},
    OpcodeInfo{Opcode::kMax8,
               "MAX8",
               kDve,
               kDve,
               kDve,
               {true, 1, 1},
               "max8",
               "the 8 largest, descending",
               "max(64, N)"},
    OpcodeInfo{Opcode::kFindIndex8,
               "IDX8",
               kDve,
               kDve,
               kDve,
               {true, 2, 2},
               "nc_find_index8",
               "first index of each of 8 values; all ones where there is none",
               "max(64, N)"},
    OpcodeInfo{Opcode::kMatchReplace8,
               "REP8",
               kDve,
               kDve,
               kDve,
               {true, 2, 2},
               "nc_match_replace8",
               "x with the first match of each of 8 values replaced by imm0",
               "max(64, N)"},
    OpcodeInfo{Opcode::kRandom,
               "RNG",
               kDve,
               kVp,
               kVp,
               {true, 0, 1},
               "rng, rand2, dropout, set_rng_seed",
               "random bits, uniform numbers, dropout of a source with probability imm0, or the seed",
               "max(64, N); POOL: start + N",
               {"raw", "uniform", "dropout", "seed"}},
    OpcodeInfo{Opcode::kExponential,
               "EXPV",
               0,
               0,
               kDve,
               {true, 1, 2},
               "exponential",
               "exp(x - m), m is imm0 or a scalar source; rc= sums",
               "max(64, N/4)"},
    OpcodeInfo{Opcode::kQuantizeMx,
               "QMX",
               0,
               0,
               kDve,
               {true, 2, 2},
               "quantize_mx",
               "bf16 or fp16 into an x4 type; the second operand takes the e8m0 scales",
               "max(64, N/4)"},
    OpcodeInfo{
        Opcode::kActivation,
        "ACT",
        kAct,
        kAct,
        kAct,
        {true, 1, 3},
        "activation, activate2",
        "fn(x * scale + bias): bias is imm1 or the second, scale imm0 or the third, scalar source; rc= "
        "reduces the row",
        "max(64, N), and a table load when the function set changes"},
    OpcodeInfo{Opcode::kReadAccumulator,
               "ACTRD",
               kAct | kDve,
               kAct | kDve,
               kAct | kDve,
               {true, 0, 0},
               "reduce_res (ActReadAccumulator)",
               "the engine's row accumulators",
               "64"},
    OpcodeInfo{
        Opcode::kGenerate,
        "GEN",
        kPool,
        kPool,
        kPool,
        {true, 0, 1},
        "iota, affine_select",
        "value = table[0] + partition x table[1] + sum(index x table[2...]); select: x where value op0 0, "
        "imm0 elsewhere",
        "start + N",
        {"iota", "affine_select"}},
    OpcodeInfo{Opcode::kGather,
               "GATH",
               kPool,
               kPool,
               kPool,
               {true, 2, 2},
               "local_gather, nc_n_gather",
               "elements by index: local, one list for 16 partitions; each, one a partition",
               "start + indices x (28 + 4e) / (4 lanes)",
               {"local", "each"}},
    OpcodeInfo{Opcode::kPartition,
               "PX",
               kPool,
               kPool,
               kPool,
               {true, 1, 1},
               "tensor_partition_reduce, sequence_bounds, nonzero_with_count, topk",
               "work across partitions",
               "start + 2N; topk: start + 4N + K",
               {"reduce", "sequence_bounds", "nonzero", "topk"}},
    OpcodeInfo{Opcode::kDma,
               "DMA",
               kAny,
               kAny,
               kAny,
               {true, 1, 2},
               "dma_copy, dma_transpose, dma_compute",
               "triggers a transfer on a queue; gather and scatter take row numbers as second source",
               "docs/calibration.md#dma",
               {"copy", "transpose", "accumulate", "gather", "scatter"}},
    OpcodeInfo{Opcode::kCollective,
               "COLL",
               kAny,
               kAny,
               kAny,
               {},
               "all_reduce, all_gather, ...",
               "triggers a collective on the CC-cores",
               "a trigger; then the fabric"},
};

constexpr bool takes_destination(Operands operands) { return operands.dst; }
constexpr std::size_t min_sources(Operands operands) { return operands.min_sources; }
constexpr std::size_t max_sources(Operands operands) { return operands.max_sources; }

constexpr bool takes_table(const OpcodeInfo& opcode) {
  return opcode.opcode == Opcode::kShuffle || opcode.opcode == Opcode::kGenerate;
}

const OpcodeInfo& info(Opcode opcode);
const OpcodeInfo* find_opcode(std::string_view mnemonic);
const OpcodeInfo* find_opcode(std::uint32_t number);
std::vector<std::string> mnemonics();

// Arithmetic of the data path, all in fp32 but for the bit operations, which take integers. Numbers are
// stored in traces.
enum class AluOp : std::uint8_t {
  kNone,
  kAdd,
  kSubtract,
  kMultiply,
  kMax,
  kMin,
  kIsGreaterEqual,
  kPower,
  kDivide,
  kAbsMax,
  kAbsMin,
  kIsGreater,
  kIsLess,
  kIsLessEqual,
  kIsEqual,
  kIsNotEqual,
  kLogicalAnd,
  kLogicalOr,
  kMod,
  kRsqrt,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
  kShiftLeft,
  kShiftRight
};
inline constexpr std::array<std::string_view, 25> kAluOps{
    "none",       "add",         "subtract",    "multiply",   "max",   "min",   "is_ge",
    "power",      "divide",      "abs_max",     "abs_min",    "is_gt", "is_lt", "is_le",
    "is_eq",      "is_ne",       "logical_and", "logical_or", "mod",   "rsqrt", "bitwise_and",
    "bitwise_or", "bitwise_xor", "shift_left",  "shift_right"};
constexpr bool is_bitwise(AluOp op) { return op >= AluOp::kBitwiseAnd; }

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
  kGelu,
  kAbs,
  kSign,
  kReciprocal,
  kRelu,
  kGeluDerivative,
  kGeluTanh,
  kGeluSigmoid,
  kErf,
  kErfDerivative,
  kSoftplus,
  kMish,
  kSin,
  kArctan
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
    ActFnInfo{ActFn::kAbs, "abs", 0},
    ActFnInfo{ActFn::kSign, "sign", 0},
    ActFnInfo{ActFn::kReciprocal, "reciprocal", 2},
    ActFnInfo{ActFn::kRelu, "relu", 0},
    ActFnInfo{ActFn::kGeluDerivative, "gelu_dx", 4},
    ActFnInfo{ActFn::kGeluTanh, "gelu_apprx_tanh", 4},
    ActFnInfo{ActFn::kGeluSigmoid, "gelu_apprx_sigmoid", 3},
    ActFnInfo{ActFn::kErf, "erf", 5},
    ActFnInfo{ActFn::kErfDerivative, "erf_dx", 5},
    ActFnInfo{ActFn::kSoftplus, "softplus", 1},
    ActFnInfo{ActFn::kMish, "mish", 6},
    ActFnInfo{ActFn::kSin, "sin", 7},
    ActFnInfo{ActFn::kArctan, "arctan", 7},
};
// What an instruction does with the engine's row accumulators.
enum class RowReduce : std::uint8_t { kIdle, kReset, kContinue };
inline constexpr std::array<std::string_view, 3> kRowReduces{"idle", "reset", "continue"};

constexpr const ActFnInfo& info(ActFn fn) { return kActFns[static_cast<std::size_t>(fn)]; }

}  // namespace trn
