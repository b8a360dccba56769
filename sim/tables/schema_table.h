// Neuron Explorer's table SchemaFields: what the columns of all tables mean.
#pragma once

#include "sim/tables/table.h"

namespace trn {

const TableSpec& schema_table();
void schema_row(const TableSpec& table, const ColumnSpec& column, TableRow& row);

}  // namespace trn
