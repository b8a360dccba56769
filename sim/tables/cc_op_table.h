// Neuron Explorer's table CcOp: one row a collective and rank.
#pragma once

#include "sim/tables/table.h"
#include "sim/timeline/run_events.h"

namespace trn {

struct CcOpSource {
  const CollectiveRecord& record;
  std::int64_t id = 0;
};

const TableSpec& cc_op_table();
void cc_op_row(const CcOpSource& source, TableRow& row);

}  // namespace trn
