// SPDX-License-Identifier: Apache-2.0
// Writing files so that a full disk, a kill or a power cut costs nothing that was there before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ambidex {

/// Throws Error(bad_input): `PATH: cannot ACTION: what the system says; what to do about it`.
///   error    an errno
[[noreturn]] void fail_file(const std::string& path, std::string_view action, int error);

/// A file that is written from front to back, past every buffer of ours. Every call throws
/// Error(bad_input) with the path if the system refuses.
class FileWriter {
 public:
  enum class Mode { create, append };  // create empties what is there

  /// Messages carry `shown_path`, if there is one.
  explicit FileWriter(const std::string& path, Mode mode = Mode::create,
                      const std::string& shown_path = "");
  ~FileWriter();  // closes without a sync and without a word
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&& other) noexcept;

  void write(const void* data, int64_t num_bytes);
  void write(std::string_view text);

  /// Returns when the bytes are on the disk. What is no regular file has no disk.
  void sync();
  void close();  // syncs first

 private:
  void close_quietly();

  std::string shown_path_;
  int file_ = -1;
};

/// Makes the names in a folder, as after a rename, survive a power cut.
///   throws Error(bad_input)
void sync_folder(const std::string& folder);

/// A file that is written beside its name, as NAME.part-PID, and renamed when it is complete, so
/// that the name holds the old bytes or the new ones at any moment. Behind a link it is the file
/// that is replaced. What is no regular file, or below /dev, is written as it is. Every call throws
/// Error(bad_input) with the path.
class FileDraft {
 public:
  explicit FileDraft(const std::string& path);
  ~FileDraft();  // removes what was not committed
  FileDraft(const FileDraft&) = delete;
  FileDraft& operator=(const FileDraft&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  std::string path_;
  std::string draft_path_;  // = path_ of what is no regular file
  FileWriter file_;
  bool is_done_ = false;
};

/// `text` as the whole of a file, by a FileDraft.
void write_file(const std::string& path, std::string_view text);

/// The bytes of a file.
///   throws Error(not_found) if there is none, Error(bad_input) if it is a folder, cannot be read,
///   or is larger than `max_bytes`
std::string read_file(const std::string& path, int64_t max_bytes);

}  // namespace ambidex
