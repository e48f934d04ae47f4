// SPDX-License-Identifier: Apache-2.0
// Bytes of a file by place, and of a stored or deflated part of it in order.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ambidex {

/// A file, or bytes in memory that pass for one.
struct ByteFile {
  std::string where;  // its path, for messages
  int64_t size_bytes = 0;
  /// Fills `out` from byte `at` on; the caller stays below size_bytes.
  ///   throws Error(bad_input) when the disk does not give the bytes
  std::function<void(int64_t at, std::span<char> out)> read;
};

/// throws Error(not_found), or Error(bad_input) on what is not a plain file
ByteFile open_bytes(const std::string& path);

/// `bytes` must outlive the result.
ByteFile bytes_in_memory(std::string_view bytes, const std::string& where);

/// Where a stream's bytes are in a file.
struct FilePart {
  int64_t first_byte = 0;
  int64_t stored_bytes = 0;  // in the file
  int64_t size_bytes = 0;    // when inflated
  bool is_deflated = false;
  std::optional<uint32_t> crc;  // of the inflated bytes; held against what is read, if all is
};

/// The bytes of a part. Memory does not depend on the size of the part.
class ByteStream {
 public:
  ByteStream(ByteFile file, const FilePart& part, const std::string& where);

  /// Fills `out` and goes behind it.
  ///   throws Error(bad_input) if the part ends earlier, or is damaged
  void read(std::span<char> out);

  /// Goes to `byte`. A deflated part is inflated up to there, from its start if need be.
  void seek(int64_t byte);

  int64_t size_bytes() const { return part_.size_bytes; }
  const std::string& where() const { return where_; }

 private:
  struct EndInflate {
    void operator()(z_stream* stream) const;
  };
  void restart();
  void inflate_into(std::span<char> out);
  void refill();
  void add_to_crc(std::span<const char> bytes);
  [[noreturn]] void fail(const std::string& got) const;

  ByteFile file_;
  FilePart part_;
  std::string where_;
  int64_t byte_ = 0;         // of the inflated bytes: the next one
  int64_t stored_byte_ = 0;  // of the part in the file: the next one to inflate
  int64_t crc_byte_ = 0;     // crc_ covers the bytes before it
  uint32_t crc_ = 0;
  std::vector<char> input_;
  std::unique_ptr<z_stream, EndInflate> stream_;  // null: stored
};

}  // namespace ambidex
