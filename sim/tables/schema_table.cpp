#include "sim/tables/schema_table.h"

namespace trn {

const TableSpec& schema_table() {
  static const TableSpec kTable{"SchemaFields",
                                "What the columns of all tables mean.",
                                {{"table_name", ColumnType::kText, "", "table of the column"},
                                 {"table_description", ColumnType::kText, "", "what its rows are"},
                                 {"field_name", ColumnType::kText, "", "the column"},
                                 {"field_description", ColumnType::kText, "", "what it means here"},
                                 {"field_type", ColumnType::kText, "", "integer, real or text"},
                                 {"field_unit", ColumnType::kText, "", "its unit, if it has one"}}};
  return kTable;
}

void schema_row(const TableSpec& table, const ColumnSpec& column, TableRow& row) {
  const char* const type = column.type == ColumnType::kInteger ? "integer"
                           : column.type == ColumnType::kReal  ? "real"
                                                               : "text";
  row = {std::string(table.name),     std::string(table.meaning), std::string(column.name),
         std::string(column.meaning), std::string(type),          std::string(column.unit)};
}

}  // namespace trn
