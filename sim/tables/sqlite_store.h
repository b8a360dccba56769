// Tables as one SQLite database, written in one transaction.
#pragma once

#include <map>
#include <string>

#include "sim/tables/table.h"

struct sqlite3;
struct sqlite3_stmt;

namespace trn {

class SqliteStore : public TableStore {
 public:
  // Writes beside `path`; a UsageError if that cannot be opened.
  SqliteStore(std::string path, const std::vector<const TableSpec*>& tables);
  ~SqliteStore() override;
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  void add(const TableSpec& table, const TableRow& row) override;
  void commit() override;

 private:
  void execute(const std::string& sql);
  void note_failure();
  void close();

  std::string path_, temporary_;
  sqlite3* database_ = nullptr;
  std::map<std::string, sqlite3_stmt*> inserts_;  // by table
  std::string failure_;                           // the first
};

}  // namespace trn
