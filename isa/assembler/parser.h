// The statements of a .tasm file.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "isa/assembler/affine.h"
#include "isa/assembler/assembler.h"
#include "isa/assembler/lexer.h"
#include "isa/bounds.h"
#include "isa/program.h"

namespace trn::tasm {

bool is_register(const std::string& name);  // r0 to r63

class Parser {
 public:
  Parser(const std::string& text, std::string file, const SourceLoader& loader);
  Program run();

 private:
  struct Array {
    std::uint16_t first;
    std::uint16_t count;
  };

  // A list of nodes under construction: its labels, and the jumps that look for them.
  struct Jump {
    std::size_t node;
    std::string label;
    Cursor place;
  };
  struct Scope {
    std::map<std::string, std::size_t> labels;
    std::vector<Jump> jumps;
    std::vector<Jump> loops;  // LOOP without its ENDL so far
  };

  // Statements. Each takes the index of its line and returns the index of the next one to read.
  std::size_t statement(std::size_t at);
  std::size_t for_loop(std::size_t at, Cursor& cursor);
  std::size_t conditional(std::size_t at, Cursor& cursor);
  void lines(std::size_t begin, std::size_t end);
  void match_blocks();

  void define_constants(Cursor& cursor);
  void declare_tensor(Cursor& cursor);
  void declare_golden(Cursor& cursor);
  void declare_queue(Cursor& cursor);
  void declare_semaphores(Cursor& cursor);
  void declare_collective(Cursor& cursor);
  void declare_table(Cursor& cursor);
  void open_engine(Cursor& cursor);

  void body(std::size_t begin, std::size_t end);  // lines with labels of their own
  void label(Cursor& cursor);
  void close_scope();
  bool pseudo_instruction(Cursor& cursor);
  void barrier(Cursor& cursor);
  void multiply(Cursor& cursor);
  void control_operands(Cursor& cursor, Instruction& instruction, const OpcodeInfo& opcode);
  void match_loop(const Cursor& place, Instruction& instruction);
  std::uint8_t reg(Cursor& cursor);
  Scalar number(Cursor& cursor);

  void instruction(Cursor& cursor);
  void kind_word(Cursor& cursor, Instruction& instruction);
  void operands_and_options(Cursor& cursor, Instruction& instruction, const OpcodeInfo& opcode);
  void option(Cursor& cursor, Instruction& instruction);
  ArrayTile array_tile(Cursor& cursor);
  void wait_and_post(Cursor& cursor, Instruction& instruction);
  void wait_clause(Cursor& cursor, Instruction& instruction);
  void post_clause(Cursor& cursor, Instruction& instruction);
  AccessPattern access_pattern(Cursor& cursor, Instruction& instruction, Field row, Field offset);

  std::int64_t affine_field(Instruction& instruction, Field field, const Affine& value);
  Range range(const Affine& value) const;
  std::uint16_t semaphore(Cursor& cursor);
  std::int64_t constant(Cursor& cursor);
  std::uint64_t positive(Cursor& cursor, const char* what);
  Affine expression(Cursor& cursor);
  float real(Cursor& cursor);
  const Affine* lookup(const std::string& name) const;
  void define(Cursor& cursor, const std::string& name, Affine value);
  void check_new_name(Cursor& cursor, const std::string& name) const;
  void emit(Cursor& cursor, Instruction instruction);

  std::string file_;
  std::vector<Line> lines_;
  std::vector<std::size_t> match_;  // .for -> .endfor, .if -> .else or .endif, .else -> .endif
  Program program_;
  Lookup lookup_;

  std::vector<std::pair<std::string, Affine>> names_;  // innermost last
  std::map<std::string, std::uint32_t> tensors_;
  std::map<std::string, std::uint16_t> queues_;
  std::map<std::string, Array> semaphores_;
  std::map<std::string, std::uint32_t> collectives_;
  std::map<std::string, std::uint32_t> tables_;
  std::uint64_t next_sbuf_ = 0;
  std::uint64_t next_psum_ = 0;

  bool in_engine_ = false;
  Engine engine_ = Engine::kTensor;
  NodeList* out_ = nullptr;
  std::vector<Scope> scopes_;         // innermost last
  std::vector<std::uint64_t> trips_;  // repeat counts of the symbolic loops around the current line
  std::uint32_t region_ = 0;
  std::uint64_t emitted_ = 0;
};

}  // namespace trn::tasm
