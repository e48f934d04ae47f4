// SPDX-License-Identifier: Apache-2.0
// From the cells of a text record to the numbers of a sample.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/modulo.h"
#include "data/text_table.h"
#include "data/transform.h"

namespace ambidex {

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using Vocabulary = std::unordered_map<std::string, int32_t, TextHash, std::equal_to<>>;

struct DenseCell {
  size_t cell = 0;
  std::string field;
  DenseRule rule;
};

struct IdCell {
  size_t cell = 0;
  std::string field;
  IdEncoding encoding = IdEncoding::hex;  // not automatic
  std::string separators;                 // between several ids; empty: the cell is one
  int64_t lookups = 1;
  int64_t first = 0;
  std::string table;
  Modulo modulo;
  std::shared_ptr<const Vocabulary> vocabulary;  // absent: every token is unknown
};

struct RowEncoder {
  std::optional<size_t> label_cell;  // absent: the data has no labels
  std::string label_field;
  bool labelled = true;  // false: the label may be blank
  std::optional<double> label_at_least;
  std::vector<DenseCell> dense;
  std::vector<IdCell> ids;
  int64_t num_lookups = 0;
};

/// Finds the fields of `layout` in `table`; while collecting, no statistics are needed.
///   throws Error(bad_input) on unknown fields, tables that are too small, missing statistics
RowEncoder row_encoder(const TextTable& table, const RecordLayout& layout,
                       const DataStatistics& statistics, bool is_collecting);

/// Appends the sample of `cells`, with its `number`.
///   throws Error(bad_input) "FIELD: ..."; then nothing is appended
void encode_row(const RowEncoder& encoder, const std::vector<std::string_view>& cells,
                int64_t number, Records& records);

/// Makes room for one more sample, to be filled by the caller.
void append_blank(const RowEncoder& encoder, int64_t number, Records& records);
void remove_last(const RowEncoder& encoder, Records& records);

/// Calls visit(text) for each id of a cell, in order, at most `lookups`; a blank cell has one.
template <class Visit>
void for_each_id(const IdCell& column, std::string_view cell, Visit visit) {
  if (column.separators.empty()) {
    visit(cell);
    return;
  }
  int64_t count = 0;
  size_t begin = cell.find_first_not_of(column.separators);
  while (begin != std::string_view::npos && count < column.lookups) {
    const size_t end = std::min(cell.find_first_of(column.separators, begin), cell.size());
    visit(cell.substr(begin, end - begin));
    begin = cell.find_first_not_of(column.separators, end);
    ++count;
  }
  if (count == 0) visit(std::string_view());
}

}  // namespace ambidex
