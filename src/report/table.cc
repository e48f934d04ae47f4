// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/html.h"

namespace ambidex {
namespace {

std::string_view cell_of(const std::vector<std::string>& row, size_t column) {
  return column < row.size() ? std::string_view(row[column]) : std::string_view();
}

std::vector<int64_t> widths_of(const Table& table) {
  std::vector<int64_t> widths;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    int64_t width = display_width(table.columns[i].name);
    for (const auto& row : table.rows) width = std::max(width, display_width(cell_of(row, i)));
    widths.push_back(width);
  }
  return widths;
}

void append_padded(std::string& line, std::string_view text, int64_t width, bool to_right) {
  const std::string padding(static_cast<size_t>(width - display_width(text)), ' ');
  if (!line.empty()) line += "  ";
  line += to_right ? padding : "";
  line += text;
  line += to_right ? "" : padding;
}

std::string trimmed(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

std::string html_row(const Table& table, const std::vector<std::string>& row) {
  std::string out = "<tr>";
  for (size_t i = 0; i < table.columns.size(); ++i) {
    out += fmt::format("<td{}>{}</td>", table.columns[i].is_number ? " class=\"number\"" : "",
                       escape_html(cell_of(row, i)));
  }
  return out + "</tr>\n";
}

}  // namespace

std::string text_of(const Table& table) {
  const std::vector<int64_t> widths = widths_of(table);
  std::string out = table.title.empty() ? "" : table.title + "\n";
  std::string header;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    append_padded(header, table.columns[i].name, widths[i], table.columns[i].is_number);
  }
  out += trimmed(header);
  for (const auto& row : table.rows) {
    std::string line;
    for (size_t i = 0; i < table.columns.size(); ++i) {
      append_padded(line, cell_of(row, i), widths[i], table.columns[i].is_number);
    }
    out += trimmed(line);
  }
  return table.caption.empty() ? out : out + table.caption + "\n";
}

std::string html_of(const Table& table) {
  std::string out = "<figure>\n";
  if (!table.title.empty()) out += fmt::format("<h2>{}</h2>\n", escape_html(table.title));
  out += "<div class=\"wide\"><table>\n<thead><tr>";
  for (const Column& column : table.columns) {
    out += fmt::format("<th{}>{}</th>", column.is_number ? " class=\"number\"" : "",
                       escape_html(column.name));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) out += html_row(table, row);
  return out + fmt::format("</tbody>\n</table></div>\n<figcaption>{}</figcaption>\n</figure>\n",
                           escape_html(table.caption));
}

}  // namespace ambidex
