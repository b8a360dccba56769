#include "sim/tables/csv_store.h"

#include <fmt/format.h>

namespace trn {
namespace {

void append_text(std::string& line, const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

// Numbers as short as they can be read back exactly.
void append_value(std::string& line, const TableValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) line += std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) line += fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&value)) append_text(line, *text);
}

}  // namespace

CsvStore::CsvStore(const std::string& folder, const std::vector<const TableSpec*>& tables) {
  make_folder(folder);
  for (const TableSpec* table : tables) {
    std::unique_ptr<AtomicFile>& file = files_[table->name];
    file = std::make_unique<AtomicFile>(folder + '/' + table->name + ".csv");
    line_.clear();
    for (const ColumnSpec& column : table->columns)
      line_ += (line_.empty() ? "" : ",") + std::string(column.name);
    line_ += '\n';
    file->write(line_.data(), line_.size());
  }
}

void CsvStore::add(const TableSpec& table, const TableRow& row) {
  line_.clear();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line_ += ',';
    append_value(line_, row[i]);
  }
  line_ += '\n';
  files_.at(table.name)->write(line_.data(), line_.size());
}

void CsvStore::commit() {
  for (const auto& [name, file] : files_) file->finish();  // all are whole before the first appears
  for (const auto& [name, file] : files_) file->commit();
}

}  // namespace trn
