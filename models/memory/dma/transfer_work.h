// How the rows of a DMA instruction lie on the engines, before their price: what the cost of a transfer and
// its packets are both made of.
#pragma once

#include <cstdint>

#include "isa/program.h"
#include "models/machine_config.h"

namespace trn {

enum class RowOrder { kInOrder, kByNumber };

// Elements that lie side by side at the inner end of the pattern. Rows by number follow each other nowhere.
std::uint64_t run_elements(const AccessPattern& pattern, const TensorDecl& tensor, RowOrder order);

// A transfer is cut into parts, which are dealt to engines whole, and a part into rows: contiguous runs, one
// descriptor element each.
struct TransferWork {
  std::uint64_t bytes = 0;       // of all parts, moved by the engines
  std::uint64_t parts = 0;       // partitions; without any, rows
  std::uint64_t part_bytes = 0;  // of the last perhaps fewer
  std::uint64_t row_bytes = 0;   // of the last of a part perhaps fewer
  std::uint64_t engines = 0;     // that have a share
  std::uint64_t each = 0;        // parts of the engine with the largest share
  bool in_turn = false;          // parts go to the engines one by one; else `each` in a row to one engine
  std::uint64_t first_engine = 0;
  std::uint64_t engine_bytes = 0;  // what an engine passes, whatever its share; 0: its share
  std::uint64_t rate = 0;          // of an engine, MB/s
  std::uint64_t passes = 1;        // of every row

  std::uint64_t rows_a_part() const { return (part_bytes + row_bytes - 1) / row_bytes; }
  std::uint64_t largest_rows() const { return each * rows_a_part(); }
  std::uint64_t largest_share() const;
  // Engine time of the first `moved` bytes of a share, without what its rows cost besides. Rounded up.
  Picoseconds moving_time(std::uint64_t moved, std::uint64_t share) const;
};

TransferWork transfer_work(const Instruction& dma, const Program& program, const CoreConfig& core);

// A block of instructions: one contiguous run.
TransferWork fetch_work(const CoreConfig& core);

// The parts of the k-th engine that has a share: first, first + step, ... of `count`.
struct EngineParts {
  std::uint64_t first = 0, step = 1, count = 0;
};
EngineParts engine_parts(const TransferWork& work, std::uint64_t k);

}  // namespace trn
