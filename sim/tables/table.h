// Tables as data: columns with name, unit and meaning, and where a row's values come from.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace trn {

using TableValue = std::variant<std::monostate, std::int64_t, double, std::string>;  // monostate: not known
using TableRow = std::vector<TableValue>;

enum class ColumnType : std::uint8_t { kInteger, kReal, kText };

struct ColumnSpec {
  const char* name;
  ColumnType type;
  const char* unit;  // "" none
  const char* meaning;
};

struct TableSpec {
  const char* name;
  const char* meaning;
  std::vector<ColumnSpec> columns;
};

// A column and how its value is found in what a row is made from.
template <class Source>
struct ColumnOf {
  ColumnSpec spec;
  TableValue (*value)(const Source&);
};

template <class Source>
TableSpec spec_of(const char* name, const char* meaning, const std::vector<ColumnOf<Source>>& columns) {
  TableSpec spec{name, meaning, {}};
  for (const ColumnOf<Source>& column : columns) spec.columns.push_back(column.spec);
  return spec;
}

template <class Source>
void fill_row(const std::vector<ColumnOf<Source>>& columns, const Source& source, TableRow& row) {
  row.clear();
  for (const ColumnOf<Source>& column : columns) row.push_back(column.value(source));
}

// Where rows go. Nothing is thrown before commit.
class TableStore {
 public:
  virtual ~TableStore() = default;
  // The tables must outlive the store.
  virtual void add(const TableSpec& table, const TableRow& row) = 0;
  // All tables appear; a UsageError if not all could be written, and then none do.
  virtual void commit() = 0;
};

}  // namespace trn
