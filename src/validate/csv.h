// SPDX-License-Identifier: Apache-2.0
// Comma-separated text, line by line, from a file (plain or gzip) or from memory. A cell may stand
// in double quotes; a line break within a cell is not supported.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ambidex {

/// Yields lines without their ends. Views are valid until the next call.
class LineReader {
 public:
  /// throws Error(not_found) or Error(bad_input)
  static LineReader from_file(const std::string& path);
  static LineReader from_text(std::string_view text, const std::string& where);

  /// The next line, or nothing at the end; throws Error(bad_input) on an unreadable file and on
  /// lines that are too long to be ours.
  std::optional<std::string_view> next();
  int64_t line() const { return line_; }  // of the last next(), from 1
  const std::string& where() const { return where_; }

 private:
  struct CloseFile {
    void operator()(gzFile file) const { gzclose(file); }
  };
  void refill();
  std::string_view cut(size_t length, size_t separator);

  std::unique_ptr<gzFile_s, CloseFile> file_;
  std::string buffer_;
  std::string_view rest_;
  std::string where_;
  int64_t line_ = 0;
};

/// One row under a header, with the words for what is wrong in it.
class CsvRow {
 public:
  /// Reads the header line; throws Error(bad_input) if there is none or a name comes twice.
  explicit CsvRow(LineReader& reader);

  /// Goes to the next row that is not empty; false at the end.
  ///   throws Error(bad_input) on a row that is not as long as the header
  bool next();

  const std::vector<std::string>& columns() const { return columns_; }
  /// Index of a column, if there is one.
  std::optional<int> find(std::string_view column) const;
  /// The same, or Error(bad_input) with the nearest names.
  int require(std::string_view column) const;

  std::string_view cell(int column) const { return cells_[static_cast<size_t>(column)]; }
  /// throws Error(bad_input) unless the cell is an integer from `low` to `high`
  int64_t integer(int column, int64_t low, int64_t high) const;
  /// throws Error(bad_input) unless the cell is a finite number > 0
  double microseconds(int column) const;

  /// Throws Error(bad_input): `FILE:LINE: COLUMN: expected EXPECTED, got "CELL"; TO_DO`.
  [[noreturn]] void fail(int column, std::string_view expected, std::string_view to_do) const;
  /// "FILE:LINE"
  std::string place() const;

 private:
  LineReader& reader_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> cells_;
};

}  // namespace ambidex
