// What each instruction computes: reads its operands at one time, writes its results at a later one.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "isa/semantics/memory.h"

namespace trn {

// Elements of an operand: rows x columns, a column a lane of an element.
struct Values {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> at;

  Values() = default;
  Values(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), at(row_count * column_count) {}
  double& operator()(std::size_t row, std::size_t column) { return at[row * columns + column]; }
  double operator()(std::size_t row, std::size_t column) const { return at[row * columns + column]; }
};

// Results under way: not in memory until committed.
struct Effect {
  struct Write {
    AccessPattern to;
    Values values;
    bool add = false;                // onto what is there: PSUM accumulation, DMA accumulate
    std::vector<std::int64_t> rows;  // where each row of the values goes; empty: as the pattern says
    std::vector<char> skip;          // by element: leave what is there; empty: write all
  };
  std::size_t core = 0;
  Writer writer = Writer::kOther;
  std::vector<Write> writes;
};

using ArrayCell = std::pair<std::uint8_t, std::uint8_t>;

// What an engine keeps between instructions.
struct EngineRegisters {
  std::map<ArrayCell, Values> weights;  // [K, M], by the first cell of the part of the array they are in
  std::vector<double> row_sums;         // accumulators by partition; empty: undefined
  std::mt19937 random{5489};            // the vendor's generators are not published
};

class Executor {
 public:
  Executor(RankMemory& memory, std::uint32_t core_version);

  // `instruction` has its loop terms applied.
  Effect read(std::size_t core, Engine engine, const Instruction& instruction);
  void commit(const Effect& effect);
  // What LDR finds; nothing in bytes that nobody wrote.
  std::optional<std::int32_t> load_register(std::size_t core, const Instruction& instruction);

  // Reads of bytes that nobody wrote, a line each, and how many there were in all.
  const std::vector<std::string>& poisoned() const { return poisoned_; }
  std::uint64_t poisoned_count() const { return poisoned_count_; }

 private:
  Values load(std::size_t core, const AccessPattern& pattern, const Instruction& instruction,
              const std::vector<std::int64_t>& rows = {});
  std::vector<std::int64_t> row_numbers(std::size_t core, const Instruction& instruction,
                                        const AccessPattern& indirect);
  Effect transfer(std::size_t core, const Instruction& instruction);
  void commit_element(const Effect& effect, const Effect::Write& write, ElementRow& row, std::int64_t offset,
                      std::size_t r, std::size_t e);
  bool may_add(const Effect& effect, const Effect::Write& write, const ElementRow& row, std::int64_t offset);

  RankMemory& memory_;
  std::uint32_t core_version_;
  std::vector<std::array<EngineRegisters, kEngineCount>> registers_;  // by core
  std::vector<std::string> poisoned_;
  std::uint64_t poisoned_count_ = 0;
};

}  // namespace trn
