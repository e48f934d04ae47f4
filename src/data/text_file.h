// SPDX-License-Identifier: Apache-2.0
// The bytes of a file, decompressed if its first bytes say gzip or zstd; in constant memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace ambidex {

class TextFile {
 public:
  /// throws Error(not_found) or Error(bad_input)
  explicit TextFile(const std::string& path);
  ~TextFile();
  TextFile(TextFile&&) noexcept;
  TextFile& operator=(TextFile&&) noexcept;

  /// Up to `num_bytes` into `to`; 0 at the end.
  ///   throws Error(bad_input) on a damaged or truncated file
  size_t read(char* to, size_t num_bytes);

  /// Goes to a place in the decompressed bytes: at once in a plain file, else by decompressing all
  /// before it.
  ///   throws Error(bad_input) if the file is shorter
  void seek(int64_t offset);

  const std::string& path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ambidex
