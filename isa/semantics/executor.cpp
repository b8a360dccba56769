#include "isa/semantics/executor.h"

#include <limits>

#include "isa/semantics/number.h"
#include "isa/semantics/operation.h"

namespace trn {
namespace {

constexpr std::size_t kReported = 20;  // poisoned reads

void (*semantics_of(Opcode opcode))(Operation&) {
  for (const auto* table : {&vector_semantics(), &tensor_semantics(), &gpsimd_semantics()})
    for (const SemanticsRow& row : *table)
      if (row.opcode == opcode) return row.run;
  return nullptr;
}

std::uint32_t lanes_of(const Program& program, const AccessPattern& pattern) {
  return info(program.tensors[pattern.tensor].dtype).values;
}

}  // namespace

Executor::Executor(RankMemory& memory, std::uint32_t core_version)
    : memory_(memory), core_version_(core_version), registers_(memory.program().cores.size()) {}

Values Executor::load(std::size_t core, const AccessPattern& pattern, const Instruction& instruction,
                      const std::vector<std::int64_t>& rows) {
  const TensorDecl& tensor = memory_.program().tensors[pattern.tensor];
  const std::vector<std::int64_t> offsets = element_offsets(pattern);
  const std::uint32_t lanes = info(tensor.dtype).values;
  Values values(pattern.rows, offsets.size() * lanes);
  bool poisoned = false;
  double* to = values.at.data();
  for (std::uint32_t r = 0; r < pattern.rows; ++r) {
    const ElementRow row = memory_.row(core, pattern.tensor,
                                       pattern.row + (rows.empty() ? static_cast<std::int64_t>(r) : rows[r]));
    for (const std::int64_t offset : offsets) {
      const bool written = row.written(offset);
      poisoned = poisoned || !written;
      for (std::uint32_t lane = 0; lane < lanes; ++lane)
        *to++ = written ? row.value(offset, lane) : std::numeric_limits<double>::quiet_NaN();
    }
  }
  if (poisoned && ++poisoned_count_ <= kReported)
    poisoned_.push_back("core " + std::to_string(core) + ' ' +
                        std::string(info(instruction.opcode).mnemonic) + " in region " +
                        memory_.program().regions[instruction.region] + " reads " + tensor.name +
                        ", of which nobody has written all");
  return values;
}

Effect Executor::read(std::size_t core, Engine engine, const Instruction& i) {
  if (i.opcode == Opcode::kDma) return transfer(core, i);
  Effect effect;
  effect.core = core;
  if (engine == Engine::kTensor) effect.writer = Writer::kArray;
  if (i.opcode == Opcode::kStoreRegister) {
    effect.writes.push_back({i.dst, Values(1, 1), false, {}, {}});
    effect.writes[0].values.at[0] = i.control.scalars[0].value;
    return effect;
  }
  void (*const run)(Operation&) = semantics_of(i.opcode);
  if (run == nullptr) return effect;  // control: no data
  if (i.sparse)
    throw ProgramError(
        "structured sparsity (sp=1) has a cost here, but its compressed weights have no published "
        "layout: it cannot run on data");
  Operation op{i, engine, memory_.program(), registers_[core][index_of(engine)], {}, {}};
  for (std::size_t s = 0; s < i.source_count; ++s)
    if (!is_result(i, s)) op.sources.push_back(load(core, i.src[s], i));
  if (takes_destination(info(i.opcode).operands))
    op.writes.push_back(
        {i.dst, Values(i.dst.rows, i.dst.elements_per_row() * lanes_of(op.program, i.dst)), false, {}, {}});
  run(op);
  effect.writes = std::move(op.writes);
  return effect;
}

std::optional<std::int32_t> Executor::load_register(std::size_t core, const Instruction& i) {
  const double value = load(core, i.src[0], i).at[0];
  return value == value ? std::optional(static_cast<std::int32_t>(value)) : std::nullopt;
}

// Row numbers of a gather or scatter, which the memory must have.
std::vector<std::int64_t> Executor::row_numbers(std::size_t core, const Instruction& i,
                                                const AccessPattern& indirect) {
  std::vector<std::int64_t> numbers;
  const TensorDecl& tensor = memory_.program().tensors[indirect.tensor];
  for (const double number : load(core, i.src[1], i).at) {
    const std::int64_t row = number == number ? static_cast<std::int64_t>(number) : -1;
    const std::int64_t at = row + indirect.row;
    if (row < 0 || at < 0 || static_cast<std::uint64_t>(at) >= tensor.rows())
      throw ProgramError("DMA in region " + memory_.program().regions[i.region] + ": row number " +
                         (number == number ? std::to_string(row) : "that nobody has written") + " of " +
                         tensor.name + ", which has " + std::to_string(tensor.rows()) + " rows");
    numbers.push_back(row);
  }
  return numbers;
}

// Elements in row-major order of both patterns; a transpose swaps rows and columns.
Effect Executor::transfer(std::size_t core, const Instruction& i) {
  const DmaKind kind = static_cast<DmaKind>(i.kind);
  std::vector<std::int64_t> indices;
  if (kind == DmaKind::kGather) indices = row_numbers(core, i, i.src[0]);
  if (kind == DmaKind::kScatter) indices = row_numbers(core, i, i.dst);
  const Values from =
      load(core, i.src[0], i, kind == DmaKind::kGather ? indices : std::vector<std::int64_t>{});
  Effect effect;
  effect.core = kind == DmaKind::kSend ? core ^ 1u : core;
  Effect::Write write{
      i.dst, Values(i.dst.rows, from.at.size() / i.dst.rows), kind == DmaKind::kAccumulate, {}, {}};
  if (kind == DmaKind::kTranspose) {
    for (std::size_t r = 0; r < from.rows; ++r)
      for (std::size_t c = 0; c < from.columns; ++c) write.values(c, r) = from(r, c);
  } else {
    write.values.at = from.at;
  }
  if (kind == DmaKind::kScatter)
    for (const std::int64_t row : indices) write.rows.push_back(i.dst.row + row);
  effect.writes.push_back(std::move(write));
  if (kind == DmaKind::kDuplicate) {
    effect.writes.push_back({i.src[1], Values(i.src[1].rows, from.at.size() / i.src[1].rows), false, {}, {}});
    effect.writes.back().values.at = from.at;
  }
  return effect;
}

void Executor::commit(const Effect& effect) {
  for (const Effect::Write& write : effect.writes) {
    const std::vector<std::int64_t> offsets = element_offsets(write.to);
    for (std::size_t r = 0; r < write.values.rows; ++r) {
      const std::int64_t at =
          write.rows.empty() ? write.to.row + static_cast<std::int64_t>(r) : write.rows[r];
      ElementRow row = memory_.row(effect.core, write.to.tensor, at);
      for (std::size_t e = 0; e < offsets.size(); ++e)
        if (write.skip.empty() || write.skip[r * offsets.size() + e] == 0)
          commit_element(effect, write, row, offsets[e], r, e);
    }
  }
}

void Executor::commit_element(const Effect& effect, const Effect::Write& write, ElementRow& row,
                              std::int64_t offset, std::size_t r, std::size_t e) {
  const std::uint32_t lanes = lanes_of(memory_.program(), write.to);
  const bool onto_nothing = write.add && !may_add(effect, write, row, offset);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    double value = write.values(r, e * lanes + lane);
    if (write.add)
      value = onto_nothing ? std::numeric_limits<double>::quiet_NaN() : value + row.value(offset, lane);
    row.set(offset, lane, value, effect.writer);
  }
}

// A sum needs something to add to; before NeuronCore-v4 the array can only add onto what it wrote itself.
bool Executor::may_add(const Effect& effect, const Effect::Write& write, const ElementRow& row,
                       std::int64_t offset) {
  const bool written = row.written(offset);
  const bool by_array =
      effect.writer == Writer::kOther || core_version_ >= 4 || (written && row.written_by_array(offset));
  if (written && by_array) return true;
  if (++poisoned_count_ <= kReported)
    poisoned_.push_back("core " + std::to_string(effect.core) + " adds onto " +
                        memory_.program().tensors[write.to.tensor].name +
                        (written
                             ? ", which another engine has written: before NeuronCore-v4 that is undefined"
                             : ", which nobody has written: the first of a group must overwrite"));
  return false;
}

}  // namespace trn
