// SPDX-License-Identifier: Apache-2.0
// What the text formats have in common: records of cells under named fields. Statistics, inspection
// and the encoding to numbers work on these.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/source.h"
#include "data/transform.h"

namespace ambidex {

enum class FieldType : uint8_t {
  token,    // text, or nobody knows
  tokens,   // several, separated by blanks
  number,   // decimal
  numbers,  // several, separated by blanks
  hex,      // Criteo's ids
  label,    // 0 or 1
};

struct TextField {
  std::string name;
  FieldType type = FieldType::token;
};

/// One record. Views are valid until the next one.
struct TextRow {
  std::vector<std::string_view> cells;  // as many as fields, unless there is a complaint
  std::string complaint;                // why the record has no cells, without its place
};

struct TextTable {
  std::vector<TextField> fields;
  bool has_names = true;                   // false: fields are meant by position
  bool is_criteo = false;                  // they may be, if names do not fit
  std::string sequence_separators;         // of a feature of several lookups whose field is a token
  std::function<bool(TextRow& row)> next;  // false at the end
  std::function<std::string()> place;      // "FILE:LINE" of the last record
  std::function<SourcePosition()> position;
  std::function<void(const SourcePosition&)> seek;
  std::function<void(int64_t record)> pass_to;  // as Source's, as is the next
  std::function<void(int64_t record)> end_before;
};

/// Cells at the separator; the last one may be empty.
void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells);

/// Eight hexadecimal digits, as Criteo writes its ids.
bool is_hex_id(std::string_view cell);

// One function for each format.
TextTable criteo_table(const std::vector<std::string>& files, const RecordLayout& layout);
TextTable csv_table(const std::vector<std::string>& files);
TextTable recbole_table(const std::string& prefix);

/// Index of the field called `name`.
///   throws Error(bad_input) with the nearest names, and `where` before it
size_t field_index(const TextTable& table, const std::string& name, const std::string& where);

/// Records of a table that is complete for `layout`.
Source source_of(const TextTable& table, const RecordLayout& layout,
                 const DataStatistics& statistics);

/// Does any feature of `layout` need a pass over the data first?
bool needs_statistics(const TextTable& table, const RecordLayout& layout);

/// From the records that `is_training` (by their number) accepts. Unreadable ones are left out as
/// `bad` allows.
DataStatistics collect_statistics(const TextTable& table, const RecordLayout& layout,
                                  const std::function<bool(int64_t)>& is_training, BadRecords& bad);

}  // namespace ambidex
