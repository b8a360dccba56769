// One instruction's data at work, for the tables of semantics.
#pragma once

#include <vector>

#include "isa/semantics/executor.h"

namespace trn {

struct Operation {
  const Instruction& instruction;
  Engine engine;
  const Program& program;
  EngineRegisters& registers;
  std::vector<Values> sources;
  std::vector<Effect::Write> writes;  // the first has its destination and a zero for every element

  Values& result() { return writes[0].values; }
  const std::vector<std::int64_t>& table() const { return program.tables[instruction.table].values; }
  DType source_type(std::size_t s) const { return program.tensors[instruction.src[s].tensor].dtype; }
  // A scalar source where there is one, else the immediate.
  double scalar(std::size_t source, double immediate, std::size_t row) const {
    return source < sources.size() ? sources[source](row, 0) : immediate;
  }
};

struct SemanticsRow {
  Opcode opcode;
  void (*run)(Operation&);
};
const std::vector<SemanticsRow>& vector_semantics();
const std::vector<SemanticsRow>& tensor_semantics();
const std::vector<SemanticsRow>& gpsimd_semantics();

// Adds the results' rows to the engine's accumulators as rc= and rop= say.
void reduce_rows(Operation& op);

}  // namespace trn
