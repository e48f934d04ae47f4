// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

std::string_view advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space, or name a place on another disk";
    case EFBIG:
      return "raise the limit on file sizes (ulimit -f), or name a place on another disk";
    case EMFILE:
    case ENFILE:
      return "raise the limit on open files (ulimit -n)";
    case EIO:
      return "check the disk that it is on";
    default:
      return "name a file in a folder that exists and that you may write to";
  }
}

/// What is written as it is: no regular file, or a name that stands for an open file, such as
/// /dev/stdout.
bool is_special(const std::string& path) {
  if (path.starts_with("/dev/") || path.starts_with("/proc/")) return true;
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
}

/// The file behind links, so that a link stays one; it ends where a name stands for an open file.
std::string behind_links(std::string path) {
  std::error_code code;
  for (int i = 0; i < 40 && !is_special(path) && fs::is_symlink(path, code); ++i) {
    const fs::path target = fs::read_symlink(path, code);
    if (code) break;
    path = (fs::path(path).parent_path() / target).lexically_normal().string();
  }
  return path;
}

std::string draft_name(const std::string& path) {
  return is_special(path) ? path : fmt::format("{}.part-{}", path, ::getpid());
}

/// 0 or the errno of fsync, apart from those that say that there is no disk to wait for.
int sync_error(int file) {
  while (::fsync(file) != 0) {
    if (errno == EINTR) continue;
    return errno == EINVAL || errno == EROFS || errno == ENOTSUP ? 0 : errno;
  }
  return 0;
}

}  // namespace

void fail_file(const std::string& path, std::string_view action, int error) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: cannot {}: {}; {}", path, action,
                                                std::strerror(error), advice(error)));
}

FileWriter::FileWriter(const std::string& path, Mode mode, const std::string& shown_path)
    : shown_path_(shown_path.empty() ? path : shown_path) {
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (mode == Mode::append ? O_APPEND : O_TRUNC);
  do {
    file_ = ::open(path.c_str(), flags, 0666);
  } while (file_ < 0 && errno == EINTR);
  if (file_ < 0) fail_file(shown_path_, "write", errno);
}

FileWriter::~FileWriter() { close_quietly(); }

FileWriter::FileWriter(FileWriter&& other) noexcept
    : shown_path_(std::move(other.shown_path_)), file_(std::exchange(other.file_, -1)) {}

FileWriter& FileWriter::operator=(FileWriter&& other) noexcept {
  if (this == &other) return *this;
  close_quietly();
  shown_path_ = std::move(other.shown_path_);
  file_ = std::exchange(other.file_, -1);
  return *this;
}

void FileWriter::close_quietly() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void FileWriter::write(const void* data, int64_t num_bytes) {
  check(file_ >= 0, "a file is written after it was closed");
  const char* at = static_cast<const char*>(data);
  while (num_bytes > 0) {
    const ssize_t written = ::write(file_, at, static_cast<size_t>(num_bytes));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_file(shown_path_, "write", errno);
    at += written;
    num_bytes -= written;
  }
}

void FileWriter::write(std::string_view text) {
  write(text.data(), static_cast<int64_t>(text.size()));
}

void FileWriter::sync() {
  check(file_ >= 0, "a file is synced after it was closed");
  if (const int error = sync_error(file_); error != 0) fail_file(shown_path_, "write", error);
}

void FileWriter::close() {
  sync();
  // Linux has closed the file even where close() fails; network file systems report lost bytes.
  if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR)
    fail_file(shown_path_, "write", errno);
}

void sync_folder(const std::string& folder) {
  const std::string path = folder.empty() ? "." : folder;
  const int file = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) fail_file(path, "open", errno);
  const int error = sync_error(file);
  ::close(file);
  if (error != 0) fail_file(path, "write", error);
}

FileDraft::FileDraft(const std::string& path)
    : path_(behind_links(path)),
      draft_path_(draft_name(path_)),
      file_(draft_path_, FileWriter::Mode::create, path) {}

FileDraft::~FileDraft() {
  std::error_code ignored;
  if (!is_done_ && draft_path_ != path_) fs::remove(draft_path_, ignored);
}

void FileDraft::write(std::string_view text) { file_.write(text); }

void FileDraft::commit() {
  file_.close();
  if (draft_path_ != path_) {
    if (std::rename(draft_path_.c_str(), path_.c_str()) != 0) fail_file(path_, "write", errno);
    sync_folder(fs::path(path_).parent_path().string());
  }
  is_done_ = true;
}

void write_file(const std::string& path, std::string_view text) {
  FileDraft draft(path);
  draft.write(text);
  draft.commit();
}

std::string read_file(const std::string& path, int64_t max_bytes) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status)) {
    throw Error(ErrorKind::not_found, fmt::format("no file {}", quote(path)));
  }
  std::ifstream stream(path, std::ios::binary);
  if (fs::is_directory(status) || !stream) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: not a file that can be read", path));
  }
  std::string text;
  std::array<char, 1 << 16> block;  // NOLINT: filled by read
  while (stream.read(block.data(), std::ssize(block)) || stream.gcount() > 0) {
    text.append(block.data(), static_cast<size_t>(stream.gcount()));
    if (std::ssize(text) <= max_bytes) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: larger than {} bytes; not a file of this kind", path, max_bytes));
  }
  if (stream.bad()) fail_file(path, "read", errno);
  return text;
}

}  // namespace ambidex
