// Run-time control: registers, labels, loops, and the instructions that stand for two.
#include <limits>
#include <optional>

#include "base/text.h"
#include "isa/assembler/parser.h"

namespace trn::tasm {
namespace {

// r0 to r63, or nothing.
std::optional<std::uint8_t> register_named(const std::string& text) {
  if (text.size() < 2 || text.size() > 3 || text[0] != 'r') return std::nullopt;
  unsigned value = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = 10 * value + static_cast<unsigned>(text[i] - '0');
  }
  if (value >= kRegisters || (text[1] == '0' && text.size() > 2)) return std::nullopt;
  return static_cast<std::uint8_t>(value);
}

}  // namespace

bool is_register(const std::string& name) { return register_named(name).has_value(); }

std::uint8_t Parser::reg(Cursor& cursor) {
  const std::optional<std::uint8_t> found = register_named(cursor.peek().text);
  if (!found) cursor.fail("expected a register, r0 to r63");
  cursor.take();
  return *found;
}

Scalar Parser::number(Cursor& cursor) {
  if (is_register(cursor.peek().text)) return {reg(cursor), 0};
  const Cursor before = cursor;
  const std::int64_t value = constant(cursor);
  if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
    before.fail("registers have 32 bits; at");
  return {kNoRegister, static_cast<std::int32_t>(value)};
}

// Lists have labels of their own: a jump stays in the loop body it stands in.
void Parser::body(std::size_t begin, std::size_t end) {
  scopes_.emplace_back();
  lines(begin, end);
  close_scope();
}

void Parser::close_scope() {
  Scope& scope = scopes_.back();
  if (!scope.loops.empty()) scope.loops.back().place.fail("this LOOP has no ENDL in its block; at");
  for (const Jump& jump : scope.jumps) {
    const auto to = scope.labels.find(jump.label);
    if (to == scope.labels.end()) {
      std::vector<std::string> known;
      for (const auto& [name, node] : scope.labels) known.push_back(name);
      jump.place.fail("no label " + jump.label + " in this block" + suggestion(jump.label, known) + "; at");
    }
    const std::int64_t distance =
        static_cast<std::int64_t>(to->second) - static_cast<std::int64_t>(jump.node);
    if (distance == 0) jump.place.fail("a branch to itself never ends");
    (*out_)[jump.node].instruction.control.jump = static_cast<std::int32_t>(distance);
  }
  scopes_.pop_back();
}

void Parser::label(Cursor& cursor) {
  if (!in_engine_) cursor.fail("a label must stand inside .engine");
  const Cursor before = cursor;
  const std::string name = cursor.word("a label");
  cursor.expect(":");
  cursor.expect_end();
  if (!scopes_.back().labels.emplace(name, out_->size()).second)
    before.fail("the label is already set in this block; at");
}

void Parser::control_operands(Cursor& cursor, Instruction& instruction, const OpcodeInfo& opcode) {
  const Cursor place = cursor;
  if (instruction.opcode == Opcode::kBranch) {
    scopes_.back().jumps.push_back({out_->size(), cursor.word("a label"), place});
    cursor.accept(",");
  }
  std::size_t count = 0;
  while (!cursor.at_end() && !cursor.is("?") && !cursor.is("!")) {
    if (cursor.next_is("="))
      option(cursor, instruction);
    else if (count < opcode.operands.max_numbers)
      instruction.control.scalars[count++] = number(cursor);
    else
      cursor.fail(std::string(opcode.mnemonic) + " takes no further operand");
    cursor.accept(",");
  }
  if (count < opcode.operands.min_numbers || (instruction.opcode == Opcode::kBranch && count == 1))
    cursor.fail(std::string(opcode.mnemonic) + " needs more registers or numbers");
  if (instruction.opcode == Opcode::kBranch && (count == 2) != (instruction.op0 != AluOp::kNone))
    place.fail("a condition has two numbers and op0=; at");
  if (instruction.opcode == Opcode::kLoop && count == 2) instruction.control.scalars[2] = {kNoRegister, 1};
  match_loop(place, instruction);
}

void Parser::match_loop(const Cursor& place, Instruction& instruction) {
  std::vector<Jump>& open = scopes_.back().loops;
  if (instruction.opcode == Opcode::kLoop) open.push_back({out_->size(), "", place});
  if (instruction.opcode != Opcode::kEndLoop) return;
  if (open.empty()) place.fail("no LOOP in this block before");
  const auto distance = static_cast<std::int32_t>(out_->size() - open.back().node);
  (*out_)[open.back().node].instruction.control.jump = distance;
  instruction.control.jump = -distance;
  open.pop_back();
}

bool Parser::pseudo_instruction(Cursor& cursor) {
  if (!in_engine_) return false;
  if (cursor.is("BARRIER"))
    barrier(cursor);
  else if (cursor.is("NCMM"))
    multiply(cursor);
  else
    return false;
  return true;
}

// BARRIER sem>=n: the pair's cores meet for the n-th time. A remote semaphore write, then a local wait.
void Parser::barrier(Cursor& cursor) {
  cursor.take();
  Instruction meet;
  meet.region = region_;
  meet.opcode = Opcode::kWait;
  wait_clause(cursor, meet);
  cursor.expect_end();
  Instruction arrive;
  arrive.region = region_;
  arrive.opcode = Opcode::kPost;
  arrive.post = {meet.wait.semaphore, 1, PostTime::kComplete, true};
  emit(cursor, std::move(arrive));
  emit(cursor, std::move(meet));
}

// NCMM dst, stationary, moving, options: LDW and MM. The wait stands before both, the post after both.
void Parser::multiply(Cursor& cursor) {
  const Cursor before = cursor;
  cursor.take();
  if (engine_ != Engine::kTensor) before.fail("the array belongs to PE; at");
  Instruction mm;
  mm.opcode = Opcode::kMatmul;
  mm.region = region_;
  mm.dst = access_pattern(cursor, mm, Field::kDstRow, Field::kDstOffset);
  cursor.expect(",");
  Instruction ldw;
  ldw.opcode = Opcode::kLoadWeights;
  ldw.region = region_;
  ldw.src[0] = access_pattern(cursor, ldw, Field::kSrc0Row, Field::kSrc0Offset);
  ldw.source_count = 1;
  cursor.expect(",");
  mm.src[0] = access_pattern(cursor, mm, Field::kSrc0Row, Field::kSrc0Offset);
  mm.source_count = 1;
  while (cursor.accept(",")) option(cursor, mm);
  ldw.double_row = mm.double_row;
  ldw.sparse = mm.sparse;
  ldw.tile = mm.tile;
  if (cursor.accept("?")) wait_clause(cursor, ldw);
  if (cursor.accept("!")) post_clause(cursor, mm);
  cursor.expect_end();
  emit(cursor, std::move(ldw));
  emit(cursor, std::move(mm));
}

}  // namespace trn::tasm
