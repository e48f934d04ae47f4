// SPDX-License-Identifier: Apache-2.0
#include "validate/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 18;
constexpr size_t kMaxLineBytes = size_t{1} << 16;
constexpr int64_t kMaxLines = 5'000'000;  // what is kept of so many still fits a small machine
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Error bad_input(const std::string& message) { return {ErrorKind::bad_input, message}; }

/// Up to the comma that ends the cell; `line` goes past it.
std::string_view take_quoted(std::string_view& line, const std::string& place) {
  size_t end = line.find('"', 1);
  while (end != std::string_view::npos && line.substr(end + 1, 1) == "\"") {
    end = line.find('"', end + 2);  // a doubled quote is a letter
  }
  const bool is_closed = end != std::string_view::npos;
  if (!is_closed || (end + 1 < line.size() && line[end + 1] != ',')) {
    throw bad_input(
        fmt::format("{}: expected a closing quote before a comma or the line's end, "
                    "got {}; quote the whole cell, on one line",
                    place, quote(line)));
  }
  const std::string_view cell = line.substr(1, end - 1);
  line.remove_prefix(end + 1);
  return cell;
}

void split(std::string_view line, const std::string& place, std::vector<std::string_view>& cells) {
  cells.clear();
  while (true) {
    if (!line.empty() && line.front() == '"') {
      cells.push_back(take_quoted(line, place));
    } else {
      const size_t end = std::min(line.find(','), line.size());
      cells.push_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    if (line.empty()) return;
    line.remove_prefix(1);  // the comma; after it there is one more cell
  }
}

}  // namespace

LineReader LineReader::from_file(const std::string& path) {
  LineReader reader;
  reader.where_ = path;
  errno = 0;
  reader.file_.reset(gzopen(path.c_str(), "rb"));
  if (reader.file_ == nullptr) {
    const int error = errno == 0 ? ENOMEM : errno;
    const bool is_missing = error == ENOENT || error == ENOTDIR;
    throw Error(is_missing ? ErrorKind::not_found : ErrorKind::bad_input,
                fmt::format("{}: cannot open: {}; give a CSV file, plain or gzip", path,
                            std::strerror(error)));
  }
  gzbuffer(reader.file_.get(), kChunkBytes);
  return reader;
}

LineReader LineReader::from_text(std::string_view text, const std::string& where) {
  LineReader reader;
  reader.rest_ = text;
  reader.where_ = where;
  return reader;
}

/// Appends the next chunk of the file to what is left of the last one.
void LineReader::refill() {
  std::string joined(rest_);
  joined.resize(rest_.size() + kChunkBytes);
  const int got = gzread(file_.get(), joined.data() + rest_.size(), kChunkBytes);
  int code = Z_OK;
  const char* words = gzerror(file_.get(), &code);
  if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    throw bad_input(fmt::format("{}:{}: cannot read on: {}; give a whole CSV file, plain or gzip",
                                where_, line_ + 1, code == Z_ERRNO ? std::strerror(errno) : words));
  }
  joined.resize(rest_.size() + static_cast<size_t>(got));
  buffer_ = std::move(joined);
  rest_ = buffer_;
  if (got == 0) file_.reset();
}

std::string_view LineReader::cut(size_t length, size_t separator) {
  ++line_;
  if (line_ > kMaxLines) {
    throw bad_input(
        fmt::format("{}: expected at most {} lines, got more; split the file", where_, kMaxLines));
  }
  if (length > kMaxLineBytes) {
    throw bad_input(
        fmt::format("{}:{}: expected lines of at most {} bytes, got {}; is it a CSV "
                    "file?",
                    where_, line_, kMaxLineBytes, length));
  }
  std::string_view line = rest_.substr(0, length);
  rest_.remove_prefix(length + separator);
  if (line_ == 1 && line.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::optional<std::string_view> LineReader::next() {
  size_t end = rest_.find('\n');
  while (end == std::string_view::npos && file_ != nullptr) {
    if (rest_.size() > kMaxLineBytes) return cut(rest_.size(), 0);  // throws
    refill();
    end = rest_.find('\n');
  }
  if (end != std::string_view::npos) return cut(end, 1);
  if (rest_.empty()) return std::nullopt;
  return cut(rest_.size(), 0);
}

CsvRow::CsvRow(LineReader& reader) : reader_(reader) {
  const std::optional<std::string_view> header = reader_.next();
  if (!header || header->empty()) {
    throw bad_input(
        fmt::format("{}:1: expected a header of column names, got nothing; see "
                    "`ambidex validate gemm --help`",
                    reader_.where()));
  }
  split(*header, place(), cells_);
  for (const std::string_view name : cells_) {
    if (std::find(columns_.begin(), columns_.end(), name) != columns_.end()) {
      throw bad_input(fmt::format("{}: expected every column once, got {} twice; rename one",
                                  place(), quote(name)));
    }
    columns_.emplace_back(name);
  }
}

bool CsvRow::next() {
  std::optional<std::string_view> line = reader_.next();
  while (line && line->empty()) line = reader_.next();
  if (!line) return false;
  if (line->find('"') == std::string_view::npos) {  // most: no message needs to be at hand
    split(*line, {}, cells_);
  } else {
    split(*line, place(), cells_);
  }
  if (cells_.size() != columns_.size()) {
    const size_t last = std::min(cells_.size(), columns_.size()) - 1;
    throw bad_input(
        fmt::format("{}: {}: expected {} cells as in the header, got {}; complete or "
                    "remove the row",
                    place(), quote(columns_[last]), columns_.size(), cells_.size()));
  }
  return true;
}

std::optional<int> CsvRow::find(std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<int>(found - columns_.begin());
}

int CsvRow::require(std::string_view column) const {
  if (const std::optional<int> found = find(column)) return *found;
  throw bad_input(
      fmt::format("{}:1: {}", reader_.where(), unknown_name("column", column, columns_)));
}

int64_t CsvRow::integer(int column, int64_t low, int64_t high) const {
  const std::optional<int64_t> value = int64_from_text(cell(column));
  if (value && *value >= low && *value <= high) return *value;
  fail(column, fmt::format("an integer from {} to {}", low, high), "write it in decimal digits");
}

double CsvRow::microseconds(int column) const {
  const std::optional<double> value = double_from_text(cell(column));
  if (value && *value >= 1e-3 && *value <= 1e12) return *value;
  fail(column, "a time from 0.001 to 1e12 us", "remove rows that were not timed");
}

void CsvRow::fail(int column, std::string_view expected, std::string_view to_do) const {
  throw bad_input(fmt::format("{}: {}: expected {}, got {}; {}", place(),
                              columns_[static_cast<size_t>(column)], expected, quote(cell(column)),
                              to_do));
}

std::string CsvRow::place() const { return fmt::format("{}:{}", reader_.where(), reader_.line()); }

}  // namespace ambidex
