#include "sim/tables/tables.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "sim/tables/cc_op_table.h"
#include "sim/tables/columns.h"
#include "sim/tables/csv_store.h"
#include "sim/tables/dma_table.h"
#include "sim/tables/instruction_table.h"
#include "sim/tables/schema_table.h"
#include "sim/tables/sqlite_store.h"
#include "sim/timeline/size_estimate.h"

namespace trn {
namespace {

constexpr std::uint64_t kRowBytes = 200;  // as seen, of instructions and transfers in either format

std::unique_ptr<TableStore> make_store(const TableOptions& options) {
  make_folder(options.folder);
  if (options.format == TableFormat::kCsv)
    return std::make_unique<CsvStore>(options.folder + "/tables", table_specs());
  return std::make_unique<SqliteStore>(options.folder + "/tables.sqlite", table_specs());
}

double equivalents(const InstructionEvent& e, std::uint32_t core_version) {
  if (e.flops == 0) return 0;
  return bf16_equivalents(e.program.tensors[e.instruction.src[0].tensor].dtype, core_version);
}

}  // namespace

std::vector<const TableSpec*> table_specs() {
  return {&instruction_table(), &dma_table(),      &cc_op_table(),
          &summary_table(),     &metadata_table(), &schema_table()};
}

Tables::Tables(const TableOptions& options) : options_(options), store_(make_store(options)) {}

std::string Tables::path() const {
  return options_.folder + (options_.format == TableFormat::kCsv ? "/tables" : "/tables.sqlite");
}

void Tables::begin(const Job& job, const MachineConfig& machine, Simulated,
                   const std::vector<std::uint64_t>& ranks) {
  const ExpectedSize size = expected_size(job, ranks);
  const std::uint64_t bytes = (size.instructions + size.transfers) * kRowBytes;
  if (options_.window.whole() && bytes > options_.limit_bytes)
    throw CapacityError(
        "--tables: about " + with_commas(bytes / 1'000'000) + " MB for " + with_commas(size.instructions) +
        " instructions and " + with_commas(size.transfers) +
        " transfers; take a part with --timeline-window 0us:200us (Summary stays whole), or allow "
        "more with --timeline-limit");
  job_ = &job;
  machine_ = machine;
  ranks_ = ranks;
}

void Tables::add(const TableSpec& table) {
  if (rows_++ * kRowBytes <= options_.limit_bytes) store_->add(table, row_);
}

void Tables::add_instruction(const InstructionEvent& e, const TransferEvent* transfer,
                             const OperandBytes& bytes) {
  instruction_row({e, transfer, instructions_++, machine_->core_version, bytes}, row_);
  add(instruction_table());
}

// A DMA instruction's row waits for its transfer.
void Tables::instruction(const InstructionEvent& e) {
  const OperandBytes bytes = operand_bytes(e.instruction, e.program);
  cores_[{e.rank, e.core}].add(e, bytes, equivalents(e, machine_->core_version));
  if (e.instruction.opcode != Opcode::kDma && options_.window.overlaps(e.start, e.complete))
    add_instruction(e, nullptr, bytes);
}

void Tables::transfer(const TransferEvent& e) {
  const InstructionEvent& trigger = e.trigger;
  cores_[{trigger.rank, trigger.core}].add(e);
  if (options_.window.overlaps(trigger.start, trigger.complete))
    add_instruction(trigger, &e, operand_bytes(trigger.instruction, trigger.program));
  if (!options_.window.overlaps(e.started, e.done)) return;
  dma_row(e, row_);
  add(dma_table());
}

void Tables::collective(const CollectiveEvent& e) {
  const CollectiveRecord& r = e.record;
  CollectiveSums& sums = collectives_[r.rank];
  ++sums.count;
  sums.time += r.done - r.started;
  sums.active.add(r.started, r.done);
  sums.end = std::max(sums.end, r.done);
  if (!options_.window.overlaps(r.started, r.done)) return;
  cc_op_row({r, cc_ops_++}, row_);
  add(cc_op_table());
}

// Collectives may run without cores: they have a row too.
void Tables::end() {
  for (const std::uint64_t rank : ranks_) {
    const Program& program = job_->program(rank);
    const std::size_t cores = std::max<std::size_t>(1, program.cores.size());
    Picoseconds time = collectives_[rank].end;
    for (std::uint32_t core = 0; core < cores; ++core) time = std::max(time, cores_[{rank, core}].end);
    for (std::uint32_t core = 0; core < cores; ++core) {
      summary_row({rank, core, cores, program, *machine_, cores_[{rank, core}], collectives_[rank], time},
                  row_);
      store_->add(summary_table(), row_);
    }
    metadata_row({rank, 0, cores, program, *machine_, cores_[{rank, 0}], collectives_[rank], time}, row_);
    store_->add(metadata_table(), row_);
  }
}

void Tables::commit() {
  if (rows_ * kRowBytes > options_.limit_bytes)
    throw CapacityError("--tables: about " + with_commas(rows_ * kRowBytes / 1'000'000) + " MB for " +
                        with_commas(rows_) +
                        " rows; take a smaller --timeline-window, or allow more with "
                        "--timeline-limit");
  for (const TableSpec* table : table_specs())
    for (const ColumnSpec& column : table->columns) {
      schema_row(*table, column, row_);
      store_->add(schema_table(), row_);
    }
  store_->commit();
}

}  // namespace trn
