// SPDX-License-Identifier: Apache-2.0
// RecBole's atomic files: PREFIX.inter streams, PREFIX.user and PREFIX.item are kept in memory and
// joined to it. Headers are "name:type" between tabs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <utility>

#include "ambidex/base.h"
#include "base/text.h"
#include "data/files.h"
#include "data/lines.h"
#include "data/row_encoder.h"
#include "data/text_table.h"

namespace ambidex {
namespace {

struct TypeName {
  std::string_view name;
  FieldType type;
};
constexpr std::array<TypeName, 4> kTypes{{
    {"token", FieldType::token},
    {"token_seq", FieldType::tokens},
    {"float", FieldType::number},
    {"float_seq", FieldType::numbers},
}};

TextField field_of(std::string_view cell, const std::string& place) {
  const size_t colon = cell.rfind(':');
  const std::string_view type = colon == std::string_view::npos ? "" : cell.substr(colon + 1);
  for (const TypeName& known : kTypes) {
    if (known.name == type) return {std::string(cell.substr(0, colon)), known.type};
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: expected name:type with a type token, token_seq, float or "
                          "float_seq, got {}",
                          place, quote(cell)));
}

std::vector<TextField> header_of(const std::string& file) {
  LineStream reader(file);
  std::string_view line;
  if (!reader.next(line)) line = {};
  std::vector<std::string_view> cells;
  split_cells(line, '\t', cells);
  std::vector<TextField> fields;
  for (const std::string_view cell : cells) fields.push_back(field_of(cell, file + ":1"));
  return fields;
}

std::string wrong_count(size_t expected, size_t got) {
  return fmt::format("expected {} fields between tabs as in the header, got {}", expected, got);
}

/// The rows of one side file by the token of its first field.
struct SideFile {
  size_t key_cell = 0;              // of the interaction
  size_t num_values = 0;            // fields without the key
  std::vector<std::string> values;  // row after row
  std::unordered_map<std::string, size_t, TextHash, std::equal_to<>> rows;
};

void add_side_row(SideFile& side, const std::vector<std::string_view>& cells,
                  const std::string& place) {
  if (cells.size() != side.num_values + 1) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: {}", place, wrong_count(side.num_values + 1, cells.size())));
  }
  if (!side.rows.emplace(cells.front(), side.rows.size()).second) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: expected every key once, got {} again; remove one row", place,
                            quote(cells.front())));
  }
  side.values.insert(side.values.end(), cells.begin() + 1, cells.end());
}

/// Reads a side file and adds its fields to the table's.
SideFile read_side(const std::string& file, size_t num_inter_fields, TextTable& table) {
  const std::vector<TextField> fields = header_of(file);
  SideFile side{.num_values = fields.size() - 1};
  const auto inter_end = table.fields.begin() + static_cast<int64_t>(num_inter_fields);
  const auto key = std::find_if(table.fields.begin(), inter_end, [&](const TextField& field) {
    return field.name == fields.front().name;
  });
  if (key == inter_end) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}:1: the .inter file has no field {} to join by; rename one of them",
                            file, quote(fields.front().name)));
  }
  side.key_cell = static_cast<size_t>(key - table.fields.begin());
  table.fields.insert(table.fields.end(), fields.begin() + 1, fields.end());
  LineFiles lines({file}, 1);
  std::string_view line;
  std::vector<std::string_view> cells;
  while (lines.next(line)) {
    split_cells(line, '\t', cells);
    add_side_row(side, cells, lines.place());
  }
  return side;
}

struct RecboleFiles {
  LineFiles lines;
  size_t num_inter_fields = 0;
  std::vector<SideFile> sides;
};

/// Cells of the interaction, then those that its keys lead to; blank where they lead nowhere.
void join_row(const RecboleFiles& files, std::string_view line, TextRow& row) {
  split_cells(line, '\t', row.cells);
  row.complaint.clear();
  if (row.cells.size() != files.num_inter_fields) {
    row.complaint = wrong_count(files.num_inter_fields, row.cells.size());
    return;
  }
  for (const SideFile& side : files.sides) {
    const auto found = side.rows.find(row.cells[side.key_cell]);
    for (size_t i = 0; i < side.num_values; ++i) {
      const bool is_known = found != side.rows.end();
      row.cells.push_back(is_known
                              ? std::string_view(side.values[found->second * side.num_values + i])
                              : std::string_view());
    }
  }
}

}  // namespace

TextTable recbole_table(const std::string& prefix) {
  const std::string inter = with_compression(prefix + ".inter");
  if (inter.empty()) {
    throw Error(ErrorKind::not_found,
                fmt::format("{}.inter: no such file, plain or compressed; give the prefix of "
                            ".inter, .user and .item",
                            prefix));
  }
  TextTable table;
  table.fields = header_of(inter);
  const auto files = std::make_shared<RecboleFiles>(RecboleFiles{
      .lines = LineFiles({inter}, 1), .num_inter_fields = table.fields.size(), .sides = {}});
  for (const std::string_view suffix : {".user", ".item"}) {
    const std::string file = with_compression(prefix + std::string(suffix));
    if (!file.empty()) files->sides.push_back(read_side(file, files->num_inter_fields, table));
  }
  table.next = [files](TextRow& row) {
    std::string_view line;
    if (!files->lines.next(line)) return false;
    join_row(*files, line, row);
    return true;
  };
  table.place = [files] { return files->lines.place(); };
  table.position = [files] { return files->lines.position(); };
  table.seek = [files](const SourcePosition& position) { files->lines.seek(position); };
  table.pass_to = [files](int64_t record) { files->lines.pass_to(record); };
  table.end_before = [files](int64_t record) { files->lines.end_before(record); };
  return table;
}

Source open_recbole(const std::string& prefix, const RecordLayout& layout,
                    const DataStatistics& statistics) {
  return source_of(recbole_table(prefix), layout, statistics);
}

}  // namespace ambidex
