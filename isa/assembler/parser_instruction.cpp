// The instruction statement: mnemonic, operands, options, wait and post.
#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "isa/assembler/parser.h"
#include "isa/dma_rules.h"

namespace trn::tasm {
namespace {

constexpr std::uint64_t kMaxUnrolled = 5'000'000;

}  // namespace

void Parser::instruction(Cursor& cursor) {
  if (!in_engine_) cursor.fail("an instruction must stand inside .engine");
  const Cursor before = cursor;
  const std::string mnemonic = cursor.word("a mnemonic");
  const OpcodeInfo* opcode = find_opcode(mnemonic);
  if (opcode == nullptr)
    throw ProgramError(before.where() + ": unknown mnemonic \"" + mnemonic + '"' +
                       suggestion(mnemonic, mnemonics()));
  if (((opcode->v2 | opcode->v3 | opcode->v4) & mask_of(engine_)) == 0)
    throw ProgramError(before.where() + ": " + mnemonic + " does not run on " +
                       std::string(short_name(engine_)));
  Instruction instruction;
  instruction.opcode = opcode->opcode;
  instruction.imm0 = default_imm0(opcode->opcode);
  instruction.region = region_;
  kind_word(cursor, instruction);
  const bool clause = cursor.is("?") || cursor.is("!");
  if (opcode->opcode == Opcode::kClearSemaphore) {
    instruction.control.semaphore = semaphore(cursor);
  } else if (opcode->opcode == Opcode::kWait && !clause) {
    wait_clause(cursor, instruction);
  } else if (opcode->opcode == Opcode::kPost && !clause) {
    post_clause(cursor, instruction);
  } else {
    operands_and_options(cursor, instruction, *opcode);
  }
  wait_and_post(cursor, instruction);
  cursor.expect_end();
  if (opcode->opcode == Opcode::kWait && instruction.wait.semaphore == kNoSemaphore)
    before.fail("WAIT needs a semaphore; at");
  if (opcode->opcode == Opcode::kPost && instruction.post.semaphore == kNoSemaphore)
    before.fail("POST needs a semaphore; at");
  if (opcode->opcode == Opcode::kDma) {
    const std::string problem = dma_problem(instruction, program_);
    if (!problem.empty()) throw ProgramError(before.where() + ": DMA " + problem);
  }
  emit(cursor, std::move(instruction));
}

// `DMA copy ...`, `GEN iota ...` and `COLL name`.
void Parser::kind_word(Cursor& cursor, Instruction& instruction) {
  const OpcodeInfo& opcode = info(instruction.opcode);
  if (opcode.kind_count() > 0 && cursor.peek().kind == TokenKind::kWord &&
      tensors_.count(cursor.peek().text) == 0) {
    const auto end = opcode.kinds.begin() + static_cast<std::ptrdiff_t>(opcode.kind_count());
    const auto it = std::find(opcode.kinds.begin(), end, cursor.peek().text);
    if (it == end)
      cursor.fail("unknown form of " + std::string(opcode.mnemonic) +
                  "; known: " + join({opcode.kinds.begin(), end}));
    instruction.kind = static_cast<std::uint8_t>(it - opcode.kinds.begin());
    cursor.take();
  }
  if (instruction.opcode != Opcode::kCollective) return;
  const auto it = collectives_.find(cursor.peek().text);
  if (it == collectives_.end()) cursor.fail("expected the name of a .coll declaration");
  instruction.collective = it->second;
  cursor.take();
}

void Parser::operands_and_options(Cursor& cursor, Instruction& instruction, const OpcodeInfo& opcode) {
  if (opcode.operands.reg) {
    instruction.control.reg = reg(cursor);
    cursor.accept(",");
  }
  if (opcode.jumps || (opcode.operands.max_numbers > 0 && !opcode.operands.dst))
    return control_operands(cursor, instruction, opcode);
  bool has_dst = false;
  while (!cursor.at_end() && !cursor.is("?") && !cursor.is("!")) {
    if (cursor.next_is("=")) {
      option(cursor, instruction);
    } else if (takes_destination(opcode.operands) && !has_dst) {
      instruction.dst = access_pattern(cursor, instruction, Field::kDstRow, Field::kDstOffset);
      has_dst = true;
    } else if (instruction.source_count < max_sources(opcode.operands)) {
      const std::size_t s = instruction.source_count++;
      instruction.src[s] = access_pattern(cursor, instruction, kSourceRows[s], kSourceOffsets[s]);
    } else if (opcode.operands.max_numbers > 0) {
      return control_operands(cursor, instruction, opcode);
    } else {
      cursor.fail(std::string(opcode.mnemonic) + " takes no further operand");
    }
    cursor.accept(",");
  }
  if (takes_destination(opcode.operands) && !has_dst)
    cursor.fail(std::string(opcode.mnemonic) + " needs a destination");
  if (instruction.source_count < min_sources(opcode.operands))
    cursor.fail(std::string(opcode.mnemonic) + " needs " + std::to_string(min_sources(opcode.operands)) +
                " source operand(s)");
  if (takes_table(opcode) && program_.tables.empty())
    cursor.fail(std::string(opcode.mnemonic) + " needs a .table and t=");
  if (instruction.opcode == Opcode::kDma && program_.queues.empty()) cursor.fail("DMA needs a .queue and q=");
}

void Parser::option(Cursor& cursor, Instruction& instruction) {
  const Cursor before = cursor;
  const std::string key = cursor.word("an option");
  cursor.expect("=");
  const auto alu = [&]() {
    const auto it = std::find(kAluOps.begin(), kAluOps.end(), cursor.peek().text);
    if (it == kAluOps.end())
      cursor.fail("unknown ALU operation; known: " + join({kAluOps.begin(), kAluOps.end()}));
    cursor.take();
    return static_cast<AluOp>(it - kAluOps.begin());
  };
  if (key == "acc") {
    instruction.accumulate = constant(cursor) != 0;
  } else if (key == "dr") {
    instruction.double_row = constant(cursor) != 0;
  } else if (key == "sp") {
    instruction.sparse = constant(cursor) != 0;
  } else if (key == "tile") {
    instruction.tile = array_tile(cursor);
  } else if (key == "rc") {
    const auto it = std::find(kRowReduces.begin(), kRowReduces.end(), cursor.peek().text);
    if (it == kRowReduces.end()) cursor.fail("expected idle, reset or continue");
    instruction.row_reduce = static_cast<RowReduce>(it - kRowReduces.begin());
    cursor.take();
  } else if (key == "rop") {
    instruction.reduce_op = alu();
  } else if (key == "rev0") {
    instruction.reverse0 = constant(cursor) != 0;
  } else if (key == "rev1") {
    instruction.reverse1 = constant(cursor) != 0;
  } else if (key == "t") {
    const auto it = tables_.find(cursor.peek().text);
    if (it == tables_.end()) cursor.fail("unknown table; declare it with .table");
    instruction.table = it->second;
    cursor.take();
  } else if (key == "op0" || key == "op") {
    instruction.op0 = alu();
  } else if (key == "op1") {
    instruction.op1 = alu();
  } else if (key == "imm0") {
    instruction.imm0 = real(cursor);
  } else if (key == "imm1") {
    instruction.imm1 = real(cursor);
  } else if (key == "fn") {
    const auto it = std::find_if(kActFns.begin(), kActFns.end(),
                                 [&](const ActFnInfo& f) { return f.name == cursor.peek().text; });
    if (it == kActFns.end()) {
      std::vector<std::string> known;
      for (const ActFnInfo& f : kActFns) known.emplace_back(f.name);
      cursor.fail("unknown activation function; known: " + join(known));
    }
    instruction.fn = it->fn;
    cursor.take();
  } else if (key == "q") {
    const auto it = queues_.find(cursor.peek().text);
    if (it == queues_.end()) cursor.fail("unknown queue; declare it with .queue");
    instruction.queue = it->second;
    cursor.take();
  } else {
    throw ProgramError(before.where() + ": unknown option \"" + key + '"' +
                       suggestion(key, {"acc", "dr", "sp", "tile", "op0", "op1", "imm0", "imm1", "rev0",
                                        "rev1", "rc", "rop", "fn", "q", "t"}));
  }
}

// (row, column, rows, columns) in elements, multiples of 32.
ArrayTile Parser::array_tile(Cursor& cursor) {
  std::array<std::uint8_t, 4> cells{};
  cursor.expect("(");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) cursor.expect(",");
    const Cursor before = cursor;
    const std::int64_t value = constant(cursor);
    if (value < 0 || value > 128 || value % 32 != 0)
      before.fail("tile positions are multiples of 32 up to 128; at");
    cells[i] = static_cast<std::uint8_t>(value / 32);
  }
  cursor.expect(")");
  return {cells[0], cells[1], cells[2], cells[3]};
}

void Parser::wait_and_post(Cursor& cursor, Instruction& instruction) {
  if (cursor.accept("?")) wait_clause(cursor, instruction);
  if (cursor.accept("!")) post_clause(cursor, instruction);
}

void Parser::wait_clause(Cursor& cursor, Instruction& instruction) {
  if (instruction.wait.semaphore != kNoSemaphore) cursor.fail("one wait an instruction; put a WAIT before");
  instruction.wait.semaphore = semaphore(cursor);
  cursor.expect(">=");
  instruction.wait.value = affine_field(instruction, Field::kWaitValue, expression(cursor));
  if (cursor.accept("@")) instruction.wait.reg = reg(cursor);
}

void Parser::post_clause(Cursor& cursor, Instruction& instruction) {
  if (instruction.post.semaphore != kNoSemaphore) cursor.fail("one post an instruction; put a POST after it");
  instruction.post.semaphore = semaphore(cursor);
  cursor.expect("+=");
  const std::int64_t increment = constant(cursor);
  if (increment < 1 || increment > 1024) cursor.fail("a post adds 1 to 1024; before");
  instruction.post.increment = static_cast<std::uint16_t>(increment);
  while (cursor.accept("@")) {
    if (cursor.accept("read"))
      instruction.post.when = PostTime::kRead;
    else if (cursor.accept("sibling"))
      instruction.post.sibling = true;
    else if (!cursor.accept("complete"))
      cursor.fail("expected read, complete or sibling");
  }
}

AccessPattern Parser::access_pattern(Cursor& cursor, Instruction& instruction, Field row, Field offset) {
  const auto it = tensors_.find(cursor.peek().text);
  if (it == tensors_.end()) cursor.fail("unknown tensor; declare it with .tensor");
  const Cursor before = cursor;
  cursor.take();
  const TensorDecl& tensor = program_.tensors[it->second];
  AccessPattern pattern;
  pattern.tensor = it->second;
  if (!cursor.accept("[")) {
    pattern.rows = static_cast<std::uint32_t>(tensor.rows());
    pattern.dim_count = 1;
    if (tensor.row_elements() > 0xffffffffu)
      cursor.fail("a row of 2^32 elements or more needs a pattern; after");
    pattern.dims[0] = {1, static_cast<std::uint32_t>(tensor.row_elements())};
    return pattern;
  }
  const Affine first_row = expression(cursor);
  pattern.row = affine_field(instruction, row, first_row);
  cursor.expect(":");
  pattern.rows =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(positive(cursor, "a row count"), 0xffffffffu));
  Affine first_element;
  if (cursor.accept("|")) first_element = expression(cursor);
  pattern.offset = affine_field(instruction, offset, first_element);
  if (cursor.accept("@")) pattern.reg = reg(cursor);
  if (cursor.accept("|")) {
    do {
      if (pattern.dim_count == pattern.dims.size()) cursor.fail("at most 4 free dimensions");
      cursor.expect("(");
      Dim dim;
      const std::int64_t step = constant(cursor);
      if (step > 0x7fffffff || step < -0x7fffffff) cursor.fail("a step has 31 bits; before");
      dim.step = static_cast<std::int32_t>(step);
      cursor.expect(",");
      const std::uint64_t num = positive(cursor, "a dimension");
      if (num > 0xffffffffu) cursor.fail("a dimension has 32 bits; before");
      dim.num = static_cast<std::uint32_t>(num);
      cursor.expect(")");
      pattern.dims[pattern.dim_count++] = dim;
    } while (cursor.accept(","));
  } else {
    pattern.dim_count = 1;
    pattern.dims[0] = {1, 1};
  }
  cursor.expect("]");
  const std::string problem = bounds_problem(pattern, tensor, range(first_row), range(first_element));
  if (!problem.empty()) throw ProgramError(before.where() + ": " + problem);
  return pattern;
}

std::int64_t Parser::affine_field(Instruction& instruction, Field field, const Affine& value) {
  for (std::size_t loop = 0; loop < value.coefficients.size(); ++loop)
    if (value.coefficients[loop] != 0)
      instruction.affine.push_back({field, static_cast<std::uint8_t>(loop), value.coefficients[loop]});
  return value.base;
}

// Smallest and largest value over all iterations of the symbolic loops.
Range Parser::range(const Affine& value) const {
  std::vector<std::pair<std::int64_t, std::uint64_t>> terms;
  for (std::size_t loop = 0; loop < value.coefficients.size(); ++loop)
    terms.emplace_back(value.coefficients[loop], trips_[loop]);
  return affine_range(value.base, terms);
}

std::uint16_t Parser::semaphore(Cursor& cursor) {
  const auto it = semaphores_.find(cursor.peek().text);
  if (it == semaphores_.end()) cursor.fail("unknown semaphore; declare it with .sem");
  Cursor before = cursor;
  cursor.take();
  std::int64_t index = 0;
  if (cursor.accept("[")) {
    index = constant(cursor);
    cursor.expect("]");
  }
  if (index < 0 || index >= it->second.count)
    before.fail("index " + std::to_string(index) + " is out of range, there are " +
                std::to_string(it->second.count) + "; at");
  return static_cast<std::uint16_t>(it->second.first + index);
}

float Parser::real(Cursor& cursor) {
  const bool negative = cursor.accept("-");
  if (cursor.peek().kind == TokenKind::kReal) {
    const float value = static_cast<float>(cursor.take().real);
    return negative ? -value : value;
  }
  const float value = static_cast<float>(constant(cursor));
  return negative ? -value : value;
}

void Parser::emit(Cursor& cursor, Instruction instruction) {
  if (++emitted_ > kMaxUnrolled)
    cursor.fail("the loops unroll to more than 5,000,000 instructions; make their bodies affine; at");
  std::sort(instruction.affine.begin(), instruction.affine.end(),
            [](const AffineTerm& a, const AffineTerm& b) {
              return a.field != b.field ? a.field < b.field : a.loop < b.loop;
            });
  Node node;
  node.instruction = std::move(instruction);
  out_->push_back(std::move(node));
}

}  // namespace trn::tasm
