#include "sim/report/page/html.h"

#include <fmt/format.h>

#include <algorithm>

namespace trn {
namespace {

const char* cell_class(Align align) {
  switch (align) {
    case Align::kText:
      return "text";
    case Align::kCode:
      return "code";
    case Align::kNumber:
      return "number";
  }
  return "";
}

// Keys and paths may break after their dots, dashes and slashes.
std::string code_escaped(const std::string& text) {
  std::string out;
  std::string part;
  for (const char c : text) {
    part += c;
    if (c != '.' && c != '_' && c != '/' && c != '=') continue;
    out += html_escaped(part) + "<wbr>";
    part.clear();
  }
  return out + html_escaped(part);
}

// Sentences need width.
bool is_long(const Table& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const std::vector<Cell>& row) {
    return table.columns[column].align == Align::kText && row[column].text.size() > 40;
  });
}

std::string header_html(const Table& table) {
  std::string out = "<thead><tr>";
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    out +=
        fmt::format("<th scope=\"col\" class=\"{}{}\" data-key=\"{}\">{}", cell_class(column.align),
                    is_long(table, c) ? " long" : "", html_escaped(column.key), html_escaped(column.title));
    if (!column.unit.empty())
      out += fmt::format(" <span class=\"unit\">{}</span>", html_escaped(column.unit));
    out += "</th>";
  }
  return out + "</tr></thead>\n";
}

std::string row_html(const Table& table, std::size_t r) {
  const bool marked = std::find(table.marked.begin(), table.marked.end(), r) != table.marked.end();
  std::string out = marked ? "<tr class=\"marked\">" : "<tr>";
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const char* kind = cell_class(table.columns[c].align);
    const std::string text = table.columns[c].align == Align::kCode ? code_escaped(table.rows[r][c].text)
                                                                    : html_escaped(table.rows[r][c].text);
    // The first column names the row.
    out += c == 0 ? fmt::format("<th scope=\"row\" class=\"{}\">{}</th>", kind, text)
                  : fmt::format("<td class=\"{}\">{}</td>", kind, text);
  }
  return out + "</tr>\n";
}

std::string table_html(const Section& s) {
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}: table\"><table "
      "id=\"{}-table\"{}>\n",
      html_escaped(s.title), html_escaped(s.id), s.filter ? " data-filter" : "");
  out += header_html(s.table) + "<tbody>\n";
  for (std::size_t r = 0; r < s.table.rows.size(); ++r) out += row_html(s.table, r);
  return out + "</tbody></table></div>\n";
}

nlohmann::ordered_json row_json(const Table& table, const std::vector<Cell>& cells) {
  nlohmann::ordered_json row = nlohmann::ordered_json::object();
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (cells[c].value)
      row[table.columns[c].key] = *cells[c].value;
    else if (table.columns[c].align != Align::kNumber)
      row[table.columns[c].key] = cells[c].text;
  }
  return row;
}

// What the chart draws: the table's rows by column key, in the columns' units.
std::string chart_html(const Section& s) {
  const std::string data = s.table_of.empty() ? s.id : s.table_of;
  std::string out = fmt::format(
      "<figure class=\"chart\" data-chart=\"{}\" data-rows=\"{}-rows\" id=\"{}-chart\">"
      "<div class=\"plot\" role=\"img\" aria-label=\"Chart: {}. Its data follow as a "
      "table.\"></div></figure>\n",
      html_escaped(s.chart), html_escaped(data), html_escaped(s.id), html_escaped(s.title));
  out += fmt::format("<script type=\"application/json\" id=\"{}-options\">{}</script>\n", html_escaped(s.id),
                     script_json(s.options.is_null() ? nlohmann::ordered_json::object() : s.options));
  if (!s.table_of.empty()) return out;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const std::vector<Cell>& cells : s.table.rows) rows.push_back(row_json(s.table, cells));
  return out + fmt::format("<script type=\"application/json\" id=\"{}-rows\">{}</script>\n",
                           html_escaped(s.id), script_json(rows));
}

std::string facts_html(const std::vector<Fact>& facts) {
  std::string out = "<dl class=\"facts\">\n";
  for (const Fact& fact : facts)
    out += fmt::format(
        "<div><dt>{}</dt><dd>{}{}</dd></div>\n", html_escaped(fact.label), html_escaped(fact.value),
        fact.unit.empty() ? "" : " <span class=\"unit\">" + html_escaped(fact.unit) + "</span>");
  return out + "</dl>\n";
}

std::string data_html(const Section& s) {
  if (!s.table_of.empty())
    return fmt::format("<p class=\"data\">Its data: <a href=\"#{0}-data\">the table of points</a>.</p>\n",
                       html_escaped(s.table_of));
  if (s.table.columns.empty()) return "";
  if (s.chart.empty()) return table_html(s);
  return fmt::format(
      "<details class=\"data\" id=\"{}-data\"><summary>Data of the chart ({} rows)</summary>\n{}"
      "</details>\n",
      html_escaped(s.id), s.table.rows.size(), table_html(s));
}

}  // namespace

std::string html_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        // Control characters are no HTML.
        out += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? "\ufffd" : std::string(1, c);
    }
  }
  return out;
}

std::string script_json(const nlohmann::ordered_json& json) {
  std::string out;
  for (const char c : json.dump(-1, ' ', true)) {  // ASCII only: no line separators
    if (c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out;
}

std::string section_html(const Section& s) {
  const std::string id = html_escaped(s.id);
  std::string out =
      fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n", id,
                  html_escaped(s.title));
  if (!s.source.empty()) out += fmt::format("<p class=\"source\">{}</p>\n", html_escaped(s.source));
  if (!s.lead.empty()) out += fmt::format("<p class=\"lead\">{}</p>\n", html_escaped(s.lead));
  if (!s.facts.empty()) out += facts_html(s.facts);
  if (!s.claim.empty()) out += fmt::format("<p class=\"claim\">{}</p>\n", html_escaped(s.claim));
  if (!s.chart.empty()) out += chart_html(s);
  out += data_html(s);
  if (!s.notes.empty()) {
    out += "<ul class=\"notes\">\n";
    for (const std::string& note : s.notes) out += fmt::format("<li>{}</li>\n", html_escaped(note));
    out += "</ul>\n";
  }
  return out + "</section>\n";
}

std::string navigation_html(const std::vector<Section>& sections) {
  std::string out;
  for (const Section& s : sections)
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", html_escaped(s.id), html_escaped(s.title));
  return out;
}

}  // namespace trn
