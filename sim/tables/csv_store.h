// Tables as files, Name.csv each, with a line of column names (RFC 4180). What is not known is empty.
#pragma once

#include <map>
#include <memory>

#include "base/atomic_file.h"
#include "sim/tables/table.h"

namespace trn {

class CsvStore : public TableStore {
 public:
  // UsageError if a file cannot be opened. Every table gets one, even without rows.
  CsvStore(const std::string& folder, const std::vector<const TableSpec*>& tables);
  void add(const TableSpec& table, const TableRow& row) override;
  void commit() override;

 private:
  std::map<std::string, std::unique_ptr<AtomicFile>> files_;  // by table
  std::string line_;
};

}  // namespace trn
