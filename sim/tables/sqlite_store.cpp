#include "sim/tables/sqlite_store.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "base/error.h"

namespace trn {
namespace {

const char* type_name(ColumnType type) {
  return type == ColumnType::kInteger ? "INTEGER" : type == ColumnType::kReal ? "REAL" : "TEXT";
}

std::string create_sql(const TableSpec& table) {
  std::string sql = "CREATE TABLE \"" + std::string(table.name) + "\" (";
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    sql += (i > 0 ? ", \"" : "\"") + std::string(table.columns[i].name) + "\" " +
           type_name(table.columns[i].type);
  return sql + ')';
}

std::string insert_sql(const TableSpec& table) {
  std::string sql = "INSERT INTO \"" + std::string(table.name) + "\" VALUES (";
  for (std::size_t i = 0; i < table.columns.size(); ++i) sql += i > 0 ? ", ?" : "?";
  return sql + ')';
}

}  // namespace

// Without a journal: a run that breaks off leaves nothing anyway.
SqliteStore::SqliteStore(std::string path, const std::vector<const TableSpec*>& tables)
    : path_(std::move(path)), temporary_(path_ + '.' + std::to_string(getpid()) + ".partial") {
  std::remove(temporary_.c_str());
  if (sqlite3_open(temporary_.c_str(), &database_) != SQLITE_OK) note_failure();
  execute("PRAGMA journal_mode = OFF");
  execute("PRAGMA synchronous = OFF");
  execute("BEGIN");
  for (const TableSpec* table : tables) {
    execute(create_sql(*table));
    sqlite3_stmt*& insert = inserts_[table->name];
    if (failure_.empty() &&
        sqlite3_prepare_v2(database_, insert_sql(*table).c_str(), -1, &insert, nullptr) != SQLITE_OK)
      note_failure();
  }
  if (failure_.empty()) return;
  close();
  throw UsageError(path_ + ": cannot write this file: " + failure_);
}

SqliteStore::~SqliteStore() {
  close();
  std::remove(temporary_.c_str());  // after a commit there is none
}

void SqliteStore::close() {
  for (const auto& [name, insert] : inserts_) sqlite3_finalize(insert);
  inserts_.clear();
  sqlite3_close(database_);
  database_ = nullptr;
}

void SqliteStore::note_failure() {
  if (failure_.empty()) failure_ = sqlite3_errmsg(database_);
}

void SqliteStore::execute(const std::string& sql) {
  if (failure_.empty() && sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    note_failure();
}

void SqliteStore::add(const TableSpec& table, const TableRow& row) {
  if (!failure_.empty()) return;
  sqlite3_stmt* const insert = inserts_.at(table.name);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const int place = static_cast<int>(i) + 1;
    if (const auto* whole = std::get_if<std::int64_t>(&row[i]))
      sqlite3_bind_int64(insert, place, *whole);
    else if (const auto* real = std::get_if<double>(&row[i]))
      sqlite3_bind_double(insert, place, *real);
    else if (const auto* text = std::get_if<std::string>(&row[i]))
      sqlite3_bind_text(insert, place, text->data(), static_cast<int>(text->size()), SQLITE_STATIC);
    else
      sqlite3_bind_null(insert, place);
  }
  if (sqlite3_step(insert) != SQLITE_DONE) note_failure();
  sqlite3_reset(insert);
}

void SqliteStore::commit() {
  execute("COMMIT");
  close();
  std::error_code failed;
  if (failure_.empty()) std::filesystem::rename(temporary_, path_, failed);
  if (failed) failure_ = failed.message();
  if (!failure_.empty()) throw UsageError(path_ + ": cannot write this file: " + failure_);
}

}  // namespace trn
