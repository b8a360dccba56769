// A run as tables with the names and units of Neuron Explorer's. docs/tables.md says what each column means.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "sim/tables/summary_table.h"
#include "sim/timeline/time_window.h"

namespace trn {

enum class TableFormat : std::uint8_t { kSqlite, kCsv };
inline constexpr std::array<std::string_view, 2> kTableFormats{"sqlite", "csv"};

struct TableOptions {
  TableFormat format = TableFormat::kSqlite;
  std::string folder;  // tables.sqlite, or tables/Name.csv
  TimeWindow window;   // of Instruction, DmaPacketAggregated and CcOp
  std::uint64_t limit_bytes = 300'000'000;
};

// All of them, in the order in which they are described.
std::vector<const TableSpec*> table_specs();

class Tables : public EventSink {
 public:
  // UsageError if they cannot be opened.
  explicit Tables(const TableOptions& options);

  // CapacityError, with the way out, if they are sure to become larger than allowed.
  void begin(const Job& job, const MachineConfig& machine, Simulated simulated,
             const std::vector<std::uint64_t>& ranks) override;
  void instruction(const InstructionEvent& e) override;
  void transfer(const TransferEvent& e) override;
  void collective(const CollectiveEvent& e) override;
  void end() override;

  // After the run. CapacityError or UsageError if they became too large or could not be written: then there
  // are none.
  void commit();
  std::uint64_t rows() const { return rows_; }
  std::string path() const;

 private:
  using CoreKey = std::pair<std::uint64_t, std::uint32_t>;  // rank, core
  void add_instruction(const InstructionEvent& e, const TransferEvent* transfer, const OperandBytes& bytes);
  void add(const TableSpec& table);

  TableOptions options_;
  std::unique_ptr<TableStore> store_;
  const Job* job_ = nullptr;
  std::optional<MachineConfig> machine_;
  std::vector<std::uint64_t> ranks_;
  std::map<CoreKey, CoreSummary> cores_;
  std::map<std::uint64_t, CollectiveSums> collectives_;  // by rank
  std::int64_t instructions_ = 0, cc_ops_ = 0;
  std::uint64_t rows_ = 0;
  TableRow row_;
};

}  // namespace trn
