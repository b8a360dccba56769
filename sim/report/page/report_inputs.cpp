#include "sim/report/page/report_inputs.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "sim/report/page/page.h"

namespace trn {
namespace {

constexpr std::uint64_t kSchema = 1;

// "line 3, column 7", of a byte of the text.
std::string place(const std::string& text, std::size_t byte) {
  const std::size_t end = std::min(byte, text.size());
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t i = 0; i + 1 < end; ++i) {
    column = text[i] == '\n' ? 1 : column + 1;
    if (text[i] == '\n') ++line;
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

ReportInput parse_object(const std::string& text, const std::string& name) {
  ReportInput input{name, "", {}};
  try {
    input.json = JsonView::Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw ConfigError(name + ": not whole JSON, it breaks at " + place(text, error.byte) +
                      "; write the file again");
  } catch (const nlohmann::json::exception&) {
    throw ConfigError(name + ": a number is out of range; write the file again");
  }
  if (!input.json.is_object()) throw ConfigError(name + ": expected a JSON object");
  return input;
}

// A sweep's plan lies beside its results.
bool is_plan(const ReportInput& input) {
  const auto kind = input.json.find("kind");
  return kind != input.json.end() && *kind == "plan";
}

void check_schema(const ReportInput& input) {
  const std::string known = "known: " + join(report_kinds());
  const std::optional<JsonView> kind = input.root().find("kind");
  if (!kind)
    throw ConfigError(input.name + ": has no \"kind\"; write it again with -o DIR of this trnsim; " + known);
  const std::vector<std::string> kinds = report_kinds();
  if (std::find(kinds.begin(), kinds.end(), kind->text()) == kinds.end())
    throw ConfigError(input.name + ": unknown kind \"" + kind->text() + '"' +
                      suggestion(kind->text(), kinds));
  const std::optional<JsonView> schema = input.root().find("schema");
  if (!schema)
    throw ConfigError(input.name + ": has no \"schema\"; this trnsim reads schema 1, write the file again");
  if (schema->count() != kSchema)
    throw ConfigError(input.name + ": schema " + schema->label() +
                      ", but this trnsim reads schema 1; write the file again with this trnsim");
}

}  // namespace

ReportInput parse_report_input(const std::string& text, const std::string& name) {
  ReportInput input = parse_object(text, name);
  check_schema(input);
  input.kind = input.root().text("kind");
  return input;
}

std::vector<ReportInput> load_report_inputs(const std::string& path) {
  namespace fs = std::filesystem;
  if (!fs::exists(path)) throw ConfigError(path + ": no such file or folder; give what -o DIR wrote");
  std::vector<fs::path> files;
  if (fs::is_directory(path)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(path))
      if (entry.is_regular_file() && entry.path().extension() == ".json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    if (files.empty())
      throw ConfigError(path + ": holds no .json file; commands write theirs there with -o " + path);
  } else {
    files.emplace_back(path);
  }
  std::vector<ReportInput> inputs;
  for (const fs::path& file : files) {
    const std::string text = read_text_file(file.string());
    const std::string name = file.filename().string();
    if (!is_plan(parse_object(text, name))) inputs.push_back(parse_report_input(text, name));
  }
  if (inputs.empty())
    throw ConfigError(path + ": a sweep's plan, but no results; trnsim sweep collect writes them");
  return inputs;
}

}  // namespace trn
