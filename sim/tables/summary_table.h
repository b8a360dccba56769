// Neuron Explorer's table Summary, one row a physical core of a rank, and its table Metadata, one row a rank.
#pragma once

#include "sim/tables/core_summary.h"
#include "sim/tables/table.h"

namespace trn {

struct SummarySource {
  std::uint64_t rank = 0;
  std::uint32_t core = 0;
  std::size_t cores = 1;  // of the rank
  const Program& program;
  const MachineConfig& machine;
  const CoreSummary& sums;
  const CollectiveSums& collectives;
  Picoseconds time;  // of the rank
};

const TableSpec& summary_table();
void summary_row(const SummarySource& source, TableRow& row);

const TableSpec& metadata_table();
void metadata_row(const SummarySource& source, TableRow& row);

}  // namespace trn
