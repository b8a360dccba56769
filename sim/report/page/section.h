// What the page shows, before it is HTML: sections with a table each, which the section's chart draws.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace trn {

// What a reader sees, and the number behind it, in the unit of its column.
struct Cell {
  std::string text;
  std::optional<double> value;
};

Cell text_cell(const std::string& text);
// With thousands separators: 12,345.68.
Cell number_cell(double value, int decimals);
Cell count_cell(std::uint64_t value);
// A share of 1 as a number of per cent.
Cell percent_cell(double share, int decimals = 1);
// A value as a file has it: 23000 as 23,000, a list with semicolons.
Cell value_cell(const nlohmann::ordered_json& value);
// Nothing known: a dash.
Cell no_cell();

enum class Align { kText, kCode, kNumber };

struct Column {
  std::string key;  // of a row in the chart's data
  std::string title;
  std::string unit;  // "" none
  Align align = Align::kNumber;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::size_t> marked{};  // rows that stand out: figures that --set changed
};

// A figure of the headline: "25,356" "tokens/s".
struct Fact {
  std::string label;
  std::string value;
  std::string unit;
};

struct Section {
  std::string id;  // of its heading, unique in the page
  std::string title;
  std::string source{};  // the file it comes from
  std::string lead{};    // what it says, in a sentence or two
  std::string claim{};   // how far to trust it
  std::vector<Fact> facts{};
  std::vector<std::string> notes{};  // how its figures are defined
  std::string chart{};               // a name in charts.js; "" none
  nlohmann::ordered_json options{};  // of the chart, besides the table
  Table table{};
  std::string table_of{};    // instead of a table of its own: the section that has it
  bool filter = false;       // offer a filter above the table
  std::string names_page{};  // what the page is about, if this says it
};

}  // namespace trn
