// SPDX-License-Identifier: Apache-2.0
// Lines of one file or of several, one after the other, with a place that can be returned to.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/source.h"
#include "data/text_file.h"

namespace ambidex {

/// Longer lines are refused: it is not a text file, or its line ends are lost.
inline constexpr int64_t kMaxLineBytes = 1 << 20;

/// So many bytes behind a line may be read, whatever they are: parsers load whole words.
inline constexpr int64_t kLinePadding = 64;

/// Lines of one file without their ends ("\n" or "\r\n"; the last may lack it). A byte order mark
/// at the beginning is left out. Views are valid until the next call.
class LineStream {
 public:
  explicit LineStream(const std::string& path);

  /// The next line into `line`, false at the end.
  ///   throws Error(bad_input) on a damaged file and on a line of more than kMaxLineBytes
  bool next(std::string_view& line);

  void seek(int64_t byte, int64_t line);
  int64_t byte() const { return buffer_byte_ + static_cast<int64_t>(begin_); }  // after the line
  int64_t line() const { return line_; }  // number of the last line, from 1
  const std::string& path() const { return file_.path(); }

 private:
  bool refill();
  void check_length(size_t length) const;
  std::string_view cut(size_t end, size_t next_begin);

  TextFile file_;
  std::vector<char> buffer_;  // used part: [begin_, end_); kLinePadding bytes behind it exist
  size_t begin_ = 0;
  size_t end_ = 0;
  bool is_at_end_ = false;   // of the file
  int64_t buffer_byte_ = 0;  // place of the buffer's first byte in the file
  int64_t line_ = 0;
};

/// Lines of several files. Empty lines are left out.
class LineFiles {
 public:
  /// `num_header_lines` of each file are no records; the caller has looked at them.
  explicit LineFiles(std::vector<std::string> files, int64_t num_header_lines = 0);

  /// The next record's first line, false at the end of the last file. Counts it as a record.
  bool next(std::string_view& line);
  /// One more line of the same record and file.
  bool next_of_record(std::string_view& line);

  SourcePosition position() const;
  int64_t record() const { return record_; }  // records before the position
  void seek(const SourcePosition& position);
  /// Goes on to the record of this number, if every one is a line, or to the end.
  void pass_to(int64_t record);
  /// The lines end before the record of this number.
  void end_before(int64_t record) { end_record_ = record; }
  std::string place() const;  // "FILE:LINE" of the record's first line

 private:
  void open(int64_t file);

  std::vector<std::string> files_;
  int64_t num_header_lines_;
  int64_t file_ = 0;
  int64_t record_ = 0;
  int64_t end_record_ = std::numeric_limits<int64_t>::max();
  int64_t first_line_ = 0;  // of the record
  std::optional<LineStream> reader_;
};

}  // namespace ambidex
