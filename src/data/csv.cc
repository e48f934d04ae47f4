// SPDX-License-Identifier: Apache-2.0
// Text under a header of field names, separated by commas or tabs; cells in quotes as in RFC 4180.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "ambidex/base.h"
#include "base/text.h"
#include "data/lines.h"
#include "data/text_table.h"

namespace ambidex {
namespace {

/// A reader of records that may go on over several lines.
struct CsvLines {
  LineFiles lines;
  char separator = ',';
  size_t num_fields = 0;
  std::string joined;             // the lines of a record that has more than one
  std::deque<std::string> plain;  // quoted cells without their quotes
};

/// Is a quoted cell open at the end of `text`, given whether one is at its beginning?
bool ends_in_quotes(std::string_view text, char separator, bool is_inside) {
  bool is_cell_start = !is_inside;
  for (const char letter : text) {
    if (letter == '"' && (is_inside || is_cell_start)) {
      is_inside = !is_inside;  // a doubled quote closes and opens
      is_cell_start = !is_inside;
    } else {
      is_cell_start = !is_inside && letter == separator;
    }
  }
  return is_inside;
}

/// Appends lines while a quote is open. False if the file ends, or too much has come, before.
bool join_lines(CsvLines& csv, std::string_view& line) {
  bool is_inside = ends_in_quotes(line, csv.separator, false);
  if (!is_inside) return true;
  csv.joined.assign(line);
  line = csv.joined;
  std::string_view more;
  while (is_inside && csv.joined.size() <= static_cast<size_t>(kMaxLineBytes)) {
    if (!csv.lines.next_of_record(more)) return false;
    csv.joined += '\n';
    csv.joined += more;
    line = csv.joined;
    is_inside = ends_in_quotes(more, csv.separator, true);
  }
  return !is_inside;
}

/// The cell at the beginning of `rest`, which goes past it; false if its quotes make no sense.
bool take_quoted(CsvLines& csv, std::string_view& rest, std::string_view& cell) {
  std::string& plain = csv.plain.emplace_back();
  size_t begin = 1;
  while (true) {
    const size_t end = rest.find('"', begin);
    if (end == std::string_view::npos) return false;
    plain += rest.substr(begin, end - begin);
    begin = end + 1;
    if (begin >= rest.size() || rest[begin] != '"') break;
    plain += '"';
    ++begin;
  }
  rest.remove_prefix(begin);
  cell = plain;
  return rest.empty() || rest.front() == csv.separator;
}

bool split_quoted(CsvLines& csv, std::string_view rest, std::vector<std::string_view>& cells) {
  cells.clear();
  csv.plain.clear();
  while (true) {
    std::string_view cell;
    if (rest.starts_with('"')) {
      if (!take_quoted(csv, rest, cell)) return false;
    } else {
      cell = rest.substr(0, rest.find(csv.separator));
      rest.remove_prefix(cell.size());
    }
    cells.push_back(cell);
    if (rest.empty()) return true;
    rest.remove_prefix(1);
  }
}

void split_row(CsvLines& csv, std::string_view line, TextRow& row) {
  row.complaint.clear();
  if (line.find('"') == std::string_view::npos) {
    split_cells(line, csv.separator, row.cells);
  } else if (!join_lines(csv, line) || !split_quoted(csv, line, row.cells)) {
    row.complaint = fmt::format(
        "expected a closing quote before a separator or the record's end, "
        "got {}; double the quotes within a cell",
        quote(line));
    return;
  }
  if (row.cells.size() != csv.num_fields) {
    row.complaint = fmt::format("expected {} fields as in the header, got {}", csv.num_fields,
                                row.cells.size());
  }
}

/// Records are found as by split_row, but not divided into cells.
void pass_to(CsvLines& csv, int64_t record) {
  std::string_view line;
  while (csv.lines.record() < record && csv.lines.next(line)) {
    if (line.find('"') != std::string_view::npos) join_lines(csv, line);
  }
}

/// Does `name` look like one of Criteo's columns, `letter` and a number?
bool is_criteo_name(std::string_view name, char letter) {
  return name.size() >= 2 && name.front() == letter &&
         name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

/// Criteo's columns have the types of its log; others say nothing of theirs.
void set_types(TextTable& table) {
  const auto has = [&](std::string_view name) {
    return std::any_of(table.fields.begin(), table.fields.end(),
                       [&](const TextField& field) { return field.name == name; });
  };
  table.is_criteo = has("I1") && has("C1");
  for (TextField& field : table.fields) {
    if (field.name == "label" || field.name == "Label" || field.name == "click") {
      field.type = FieldType::label;
    }
    if (!table.is_criteo) continue;
    if (is_criteo_name(field.name, 'I')) field.type = FieldType::number;
    if (is_criteo_name(field.name, 'C')) field.type = FieldType::hex;
  }
}

std::vector<std::string> header_of(const std::string& file, char& separator) {
  LineStream reader(file);
  std::string_view line;
  if (!reader.next(line) || line.empty()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}:1: expected a header of field names, got nothing", file));
  }
  separator = line.find('\t') == std::string_view::npos ? ',' : '\t';
  CsvLines csv{.lines = LineFiles({file}), .separator = separator};
  std::vector<std::string_view> cells;
  if (!split_quoted(csv, line, cells)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}:1: expected a closing quote on the header's line, got {}", file,
                            quote(line)));
  }
  std::vector<std::string> names;
  for (const std::string_view cell : cells) {
    if (std::find(names.begin(), names.end(), cell) != names.end()) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}:1: expected every field once, got {} twice; rename one", file,
                              quote(cell)));
    }
    names.emplace_back(cell);
  }
  return names;
}

void check_same_header(const std::vector<std::string>& files,
                       const std::vector<std::string>& names) {
  for (size_t i = 1; i < files.size(); ++i) {
    char separator = ',';
    if (header_of(files[i], separator) == names) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("{}:1: expected the header of {}, got another one; give the files "
                            "one by one",
                            files[i], files.front()));
  }
}

}  // namespace

TextTable csv_table(const std::vector<std::string>& files) {
  char separator = ',';
  const std::vector<std::string> names = header_of(files.front(), separator);
  check_same_header(files, names);
  TextTable table{.sequence_separators = " |"};
  for (const std::string& name : names) table.fields.push_back({name, FieldType::token});
  set_types(table);
  const auto csv = std::make_shared<CsvLines>(
      CsvLines{.lines = LineFiles(files, 1), .separator = separator, .num_fields = names.size()});
  table.next = [csv](TextRow& row) {
    std::string_view line;
    if (!csv->lines.next(line)) return false;
    split_row(*csv, line, row);
    return true;
  };
  table.place = [csv] { return csv->lines.place(); };
  table.position = [csv] { return csv->lines.position(); };
  table.seek = [csv](const SourcePosition& position) { csv->lines.seek(position); };
  table.pass_to = [csv](int64_t record) { pass_to(*csv, record); };
  table.end_before = [csv](int64_t record) { csv->lines.end_before(record); };
  return table;
}

Source open_csv(const std::vector<std::string>& files, const RecordLayout& layout,
                const DataStatistics& statistics) {
  return source_of(csv_table(files), layout, statistics);
}

}  // namespace ambidex
