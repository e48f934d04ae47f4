// SPDX-License-Identifier: Apache-2.0
#include "data/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "ambidex/base.h"

namespace ambidex {
namespace {

// Half of a second-level cache: the parser then reads what the copy has just written.
constexpr size_t kBlockBytes = size_t{1} << 18;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineStream::LineStream(const std::string& path) : file_(path) {
  buffer_.resize(kBlockBytes + kLinePadding);
}

/// Moves what is left to the front and appends; false if the file has no more.
bool LineStream::refill() {
  if (is_at_end_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  buffer_byte_ += static_cast<int64_t>(begin_);
  end_ -= begin_;
  begin_ = 0;
  check_length(end_);
  if (end_ + kBlockBytes / 2 + kLinePadding > buffer_.size()) buffer_.resize(2 * buffer_.size());
  const size_t got = file_.read(buffer_.data() + end_, buffer_.size() - kLinePadding - end_);
  end_ += got;
  is_at_end_ = got == 0;
  return got > 0;
}

void LineStream::check_length(size_t length) const {
  if (length <= static_cast<size_t>(kMaxLineBytes)) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}:{}: expected lines of at most {} bytes, got more; is it a text file "
                          "with line ends?",
                          path(), line_ + 1, kMaxLineBytes));
}

std::string_view LineStream::cut(size_t end, size_t next_begin) {
  check_length(end - begin_);
  std::string_view line(buffer_.data() + begin_, end - begin_);
  if (begin_ == 0 && buffer_byte_ == 0 && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  begin_ = next_begin;
  ++line_;
  return line;
}

bool LineStream::next(std::string_view& line) {
  size_t searched = begin_;
  while (true) {
    const void* found = std::memchr(buffer_.data() + searched, '\n', end_ - searched);
    if (found != nullptr) {
      const size_t end = static_cast<size_t>(static_cast<const char*>(found) - buffer_.data());
      line = cut(end, end + 1);
      return true;
    }
    const size_t length = end_ - begin_;
    if (!refill()) break;
    searched = begin_ + length;
  }
  if (begin_ == end_) return false;
  line = cut(end_, end_);
  return true;
}

void LineStream::seek(int64_t byte, int64_t line) {
  file_.seek(byte);
  begin_ = end_ = 0;
  is_at_end_ = false;
  buffer_byte_ = byte;
  line_ = line;
}

LineFiles::LineFiles(std::vector<std::string> files, int64_t num_header_lines)
    : files_(std::move(files)), num_header_lines_(num_header_lines) {
  check(!files_.empty(), "there is a file to read lines from");
  open(0);
}

void LineFiles::open(int64_t file) {
  file_ = file;
  reader_.emplace(files_[static_cast<size_t>(file)]);
  std::string_view line;
  for (int64_t i = 0; i < num_header_lines_; ++i) reader_->next(line);
  first_line_ = reader_->line();
}

bool LineFiles::next(std::string_view& line) {
  while (record_ < end_record_) {
    if (reader_->next(line)) {
      if (line.empty()) continue;
      first_line_ = reader_->line();
      ++record_;
      return true;
    }
    if (file_ + 1 == static_cast<int64_t>(files_.size())) return false;
    open(file_ + 1);
  }
  return false;
}

void LineFiles::pass_to(int64_t record) {
  std::string_view line;
  while (record_ < record && next(line)) {
  }
}

bool LineFiles::next_of_record(std::string_view& line) { return reader_->next(line); }

SourcePosition LineFiles::position() const {
  return {.file = file_, .byte = reader_->byte(), .line = reader_->line(), .record = record_};
}

void LineFiles::seek(const SourcePosition& position) {
  if (position.file < 0 || position.file >= static_cast<int64_t>(files_.size())) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: expected {} files or more, got {}; were files removed since the "
                            "position was saved?",
                            files_.front(), position.file + 1, files_.size()));
  }
  if (position.file != file_) open(position.file);
  if (position.line <= num_header_lines_) {
    open(position.file);
  } else {
    reader_->seek(position.byte, position.line);
  }
  record_ = position.record;
}

std::string LineFiles::place() const {
  return fmt::format("{}:{}", files_[static_cast<size_t>(file_)], first_line_);
}

}  // namespace ambidex
