#include "sim/validation/measurements.h"

#include <cstdlib>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

// One line of CSV; fields may stand in double quotes.
std::vector<std::string> fields(const std::string& line, const std::string& where) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      out.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += line[i];
  }
  if (quoted) throw ConfigError(where + ": a quote that is never closed");
  return out;
}

void add_row(MeasuredRow row, const std::string& text, std::vector<MeasuredRow>& rows) {
  const std::size_t versus = text.find(" vs ");
  if (versus != std::string::npos) {
    const std::string id = row.id;
    row.id = id + "-first";
    add_row(row, text.substr(0, versus), rows);
    row.id = id + "-second";
    add_row(row, text.substr(versus + 4), rows);
    return;
  }
  char* end = nullptr;
  row.value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() && *end == '-') {
    const char* const from = end + 1;
    const double most = std::strtod(from, &end);
    if (end != from && *end == '\0') row.most = most;
  }
  rows.push_back(std::move(row));
}

}  // namespace

std::vector<MeasuredRow> read_measurements(const std::string& path) {
  std::istringstream text(read_text_file(path));
  std::string line;
  std::getline(text, line);
  std::map<std::string, std::size_t> column;
  const std::vector<std::string> header = fields(line, path + ":1");
  for (std::size_t i = 0; i < header.size(); ++i) column[header[i]] = i;
  for (const char* name : {"id", "generation", "scale", "workload", "metric", "value", "unit", "usable_for"})
    if (column.count(name) == 0) throw ConfigError(path + ":1: no column " + name);
  std::vector<MeasuredRow> rows;
  for (std::size_t number = 2; std::getline(text, line); ++number) {
    const std::string where = path + ':' + std::to_string(number);
    const std::vector<std::string> f = fields(line, where);
    if (f.size() != header.size())
      throw ConfigError(where + ": " + std::to_string(f.size()) + " fields, the header has " +
                        std::to_string(header.size()));
    const auto at = [&](const char* name) { return f[column.at(name)]; };
    MeasuredRow row{at("id"),
                    at("generation"),
                    at("scale"),
                    at("workload"),
                    at("metric"),
                    at("unit"),
                    at("usable_for"),
                    0,
                    {}};
    add_row(std::move(row), at("value"), rows);
  }
  return rows;
}

}  // namespace trn
