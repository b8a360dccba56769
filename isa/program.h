// One rank's instruction streams. Loops are kept: a 64-layer step is kilobytes, not gigabytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "isa/dtype.h"
#include "isa/engine.h"
#include "isa/opcode.h"

namespace trn {

enum class Space : std::uint8_t { kHbm, kSbuf, kPsum };
inline constexpr std::array<std::string_view, 3> kSpaces{"hbm", "sbuf", "psum"};

// dims[0] is the partition dimension in SBUF and PSUM, the row dimension in HBM.
struct TensorDecl {
  std::string name;
  Space space = Space::kHbm;
  DType dtype = DType::kBf16;
  std::vector<std::uint64_t> dims;
  std::uint64_t address = 0;  // SBUF/PSUM: byte offset inside a partition
  std::uint32_t stack = 0;    // HBM: whose, counted from the rank's own, modulo the chip's stacks

  std::uint64_t rows() const { return dims.empty() ? 1 : dims[0]; }
  std::uint64_t row_elements() const;
  std::uint64_t row_bytes() const { return row_elements() * size_of(dtype); }
  bool operator==(const TensorDecl&) const;
};

enum class DescriptorMode : std::uint8_t { kStatic, kHardware, kSoftware };
inline constexpr std::array<std::string_view, 3> kDescriptorModes{"static", "hw", "sw"};

struct QueueDecl {
  std::string name;
  Engine engine = Engine::kSync;  // the engine that triggers it
  DescriptorMode mode = DescriptorMode::kHardware;
  std::uint32_t priority = 0;
  bool operator==(const QueueDecl&) const;
};

// In a program the root of those that have one is the group's first rank, and kPermute sends to the next one.
enum class CollectiveOp : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kPermute,
  kSendReceive,
  kBarrier
};
inline constexpr std::array<std::string_view, 11> kCollectiveOps{
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all",   "broadcast", "reduce",
    "gather",     "scatter",    "permute",        "send_receive", "barrier"};

// One COLL instruction's parameters. `bytes` is nccom-test's size: the all-reduce buffer, the gathered
// output, the reduce-scatter or all-to-all input of one rank.
struct CollectiveDecl {
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::string axis;  // mesh axis: tp, fsdp, ...
  std::uint64_t bytes = 0;
  DType dtype = DType::kBf16;
  std::uint32_t stream = 0;
  std::uint32_t priority = 0;
  bool operator==(const CollectiveDecl&) const;
};

// Descriptors hold 32-bit steps and counts.
struct Dim {
  std::int32_t step = 1;  // elements
  std::uint32_t num = 1;

  Dim() = default;
  Dim(std::int64_t step_elements, std::uint64_t count)
      : step(static_cast<std::int32_t>(step_elements)), num(static_cast<std::uint32_t>(count)) {
    TRN_CHECK(step == step_elements && num == count, "a dimension past 32 bits");
  }
  bool operator==(const Dim& o) const { return step == o.step && num == o.num; }
};

inline constexpr std::uint8_t kRegisters = 64;  // of a sequencer, 32 bits each
inline constexpr std::uint8_t kNoRegister = 255;

// Elements `offset + sum(step*i)` of rows [row, row + rows). Outermost free dimension first.
struct AccessPattern {
  std::uint32_t tensor = 0;
  std::uint32_t rows = 1;
  std::int64_t row = 0;
  std::int64_t offset = 0;
  std::uint32_t dim_count = 0;
  std::array<Dim, 4> dims{};
  std::uint8_t reg = kNoRegister;  // its value is added to the offset when the instruction issues

  bool dynamic() const { return reg != kNoRegister; }

  std::uint64_t elements_per_row() const;
  bool operator==(const AccessPattern&) const;
};

inline constexpr std::uint16_t kNoSemaphore = 0xffff;

struct Wait {
  std::uint16_t semaphore = kNoSemaphore;
  std::uint8_t reg = kNoRegister;  // its value is added to `value` when the instruction before has issued
  std::int64_t value = 0;          // satisfied when the semaphore is >= value; <= 0 always is
  bool operator==(const Wait& o) const {
    return semaphore == o.semaphore && reg == o.reg && value == o.value;
  }
};

enum class PostTime : std::uint8_t { kComplete, kRead };  // result visible / operands consumed

struct Post {
  std::uint16_t semaphore = kNoSemaphore;
  std::uint16_t increment = 1;
  PostTime when = PostTime::kComplete;
  bool sibling = false;  // to the other core of the LNC=2 pair
  bool operator==(const Post& o) const {
    return semaphore == o.semaphore && increment == o.increment && when == o.when && sibling == o.sibling;
  }
};

// Fields that may advance with the iteration numbers of the enclosing loops.
enum class Field : std::uint8_t {
  kDstRow,
  kDstOffset,
  kSrc0Row,
  kSrc0Offset,
  kSrc1Row,
  kSrc1Offset,
  kWaitValue,
  kSrc2Row,
  kSrc2Offset
};
inline constexpr std::size_t kFieldCount = 9;
inline constexpr std::array kSourceRows{Field::kSrc0Row, Field::kSrc1Row, Field::kSrc2Row};
inline constexpr std::array kSourceOffsets{Field::kSrc0Offset, Field::kSrc1Offset, Field::kSrc2Offset};

struct AffineTerm {
  Field field;
  std::uint8_t loop;  // 0 is the outermost loop around the instruction
  std::int64_t coefficient;
  bool operator==(const AffineTerm& o) const {
    return field == o.field && loop == o.loop && coefficient == o.coefficient;
  }
};

// Part of the array, in cells of 32 rows and 32 columns; no rows: all of it.
struct ArrayTile {
  std::uint8_t row = 0;
  std::uint8_t column = 0;
  std::uint8_t rows = 0;
  std::uint8_t columns = 0;
  bool whole() const { return rows == 0; }
  bool operator==(const ArrayTile& o) const {
    return row == o.row && column == o.column && rows == o.rows && columns == o.columns;
  }
};

// An operand of the sequencer: a register, or a number where there is none.
struct Scalar {
  std::uint8_t reg = kNoRegister;
  std::int32_t value = 0;
  bool operator==(const Scalar& o) const { return reg == o.reg && value == o.value; }
};

// What control instructions work on.
struct ControlOperands {
  std::uint8_t reg = kNoRegister;          // the register written
  std::uint16_t semaphore = kNoSemaphore;  // SEMCLR
  std::array<Scalar, 3> scalars{};         // LOOP: from, to, step
  std::int32_t jump = 0;  // BR: how many nodes of its list to go on; LOOP and ENDL: each other
  bool operator==(const ControlOperands& o) const {
    return reg == o.reg && semaphore == o.semaphore && scalars == o.scalars && jump == o.jump;
  }
};

struct Instruction {
  Opcode opcode = Opcode::kNop;
  std::uint8_t kind = 0;  // the form, where the opcode has several
  std::uint8_t source_count = 0;
  AluOp op0 = AluOp::kNone;
  AluOp op1 = AluOp::kNone;
  ActFn fn = ActFn::kCopy;
  RowReduce row_reduce = RowReduce::kIdle;  // rc=
  AluOp reduce_op = AluOp::kAdd;            // of the row accumulators
  bool reverse0 = false;                    // a op0 x instead of x op0 a
  bool reverse1 = false;
  bool accumulate = false;  // MM, MMX: add to PSUM
  bool double_row = false;  // MM, LDW: two FP8 rows a partition
  bool sparse = false;      // MM, LDW: 4:16 structured sparsity, four times the contraction
  ArrayTile tile;           // MM, LDW
  AccessPattern dst;
  std::array<AccessPattern, 3> src;
  float imm0 = 0;
  float imm1 = 0;
  std::uint16_t queue = 0;       // DMA
  std::uint32_t collective = 0;  // COLL: index into Program::collectives
  std::uint32_t table = 0;       // SHUF, GEN: index into Program::tables
  std::uint32_t region = 0;      // accounting label, index into Program::regions
  ControlOperands control;
  Wait wait;
  Post post;
  std::vector<AffineTerm> affine;

  std::int64_t& field(Field f);
  std::int64_t field(Field f) const { return const_cast<Instruction*>(this)->field(f); }
  bool operator==(const Instruction&) const;
  // Everything but operands, wait and loop terms.
  bool same_form(const Instruction&) const;
  // Does it use a register's value for the place of an operand?
  bool dynamic() const;
};

// Is the operand written? QMX puts its scales into its second operand, a duplicating DMA its second copy.
inline bool is_result(const Instruction& i, std::size_t source) {
  return source == 1 &&
         (i.opcode == Opcode::kQuantizeMx ||
          (i.opcode == Opcode::kDma && i.kind == static_cast<std::uint8_t>(DmaKind::kDuplicate)));
}

// What imm0 is where none is given: ACT scales by 1.
constexpr float default_imm0(Opcode opcode) { return opcode == Opcode::kActivation ? 1.0F : 0.0F; }

// A Node is an instruction, or a loop over nodes.
struct Node {
  std::uint64_t repeat = 0;  // 0: an instruction
  Instruction instruction;
  std::vector<Node> body;

  bool is_loop() const { return repeat != 0; }
  bool operator==(const Node& o) const {
    return repeat == o.repeat && (is_loop() ? body == o.body : instruction == o.instruction);
  }
};
using NodeList = std::vector<Node>;

// Integers that an instruction carries: a shuffle's mask, a generator's pattern.
struct TableDecl {
  std::string name;
  std::vector<std::int64_t> values;
  bool operator==(const TableDecl& o) const { return name == o.name && values == o.values; }
};

// What an HBM tensor should hold after the run, from what the others held before: isa/golden.h.
struct Golden {
  std::uint32_t tensor = 0;
  std::string expression;
  bool operator==(const Golden& o) const { return tensor == o.tensor && expression == o.expression; }
};
inline constexpr float kGoldenTolerance = 0.01F;

struct CoreProgram {
  std::array<NodeList, kEngineCount> streams;
  bool operator==(const CoreProgram& o) const { return streams == o.streams; }
};

struct Program {
  std::string name = "program";
  std::string target;  // machine generation: trn1, trn2, trn3
  std::vector<TensorDecl> tensors;
  std::vector<QueueDecl> queues;
  std::vector<std::string> semaphores;
  std::vector<CollectiveDecl> collectives;
  std::vector<TableDecl> tables;
  std::vector<std::string> regions{"main"};
  std::vector<CoreProgram> cores;  // one, or two for an LNC=2 pair
  std::uint64_t model_flops = 0;   // what the author counts as useful
  std::vector<Golden> goldens;
  float golden_tolerance = kGoldenTolerance;  // |error| / (|value| + rms of all), besides rounding

  bool operator==(const Program&) const;
};

// Instructions executed by one stream, loops unrolled.
std::uint64_t dynamic_count(const NodeList& nodes);
// All that a program's instructions ever add to a semaphore of a core; nothing where jumps decide how often
// they run.
std::optional<std::uint64_t> total_posts(const Program& program, std::uint32_t core, std::uint16_t semaphore);
// The same stream without loops; `limit` guards against exploding (InternalError past it).
NodeList expand(const NodeList& nodes, std::uint64_t limit = 50'000'000);

}  // namespace trn
