// SPDX-License-Identifier: Apache-2.0
// The safetensors format: a little-endian header length of 8 bytes, a header in JSON, the data.
// Tensors go from the caller's memory to the file and back without a copy.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ambidex {

/// Element types in the order in which the format ranks them.
enum class TensorType : uint8_t {
  boolean,
  u8,
  i8,
  f8_e5m2,
  f8_e4m3,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  f64,
  i64,
  u64,
};
std::string_view name_of(TensorType type);  // "F32", as in files
int64_t tensor_type_bytes(TensorType type);

/// A tensor in memory, row-major.
struct TensorView {
  std::string name;
  TensorType type = TensorType::f32;
  std::vector<int64_t> shape;  // empty: one element
  const void* data = nullptr;
};

using TensorMetadata = std::map<std::string, std::string>;

/// Writes and syncs a file; the order in it is that of the reference implementation: large elements
/// first, then by name.
///   throws Error(bad_input) with the path if the disk refuses; the file is then incomplete
void write_safetensors(const std::string& path, std::span<const TensorView> tensors,
                       const TensorMetadata& metadata = {});

/// A tensor in a file.
struct TensorEntry {
  std::string name;
  TensorType type = TensorType::f32;
  std::vector<int64_t> shape;
  int64_t begin = 0;  // bytes from the start of the data
  int64_t end = 0;
  bool operator==(const TensorEntry&) const = default;
};

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // by begin
  TensorMetadata metadata;
  int64_t data_begin = 0;  // bytes from the start of the file
  bool operator==(const SafetensorsHeader&) const = default;
};

/// The header of a file that is `file_bytes` long and begins with `text`, which holds the header
/// whole. Tensors must tile the data: no hole, no overlap, nothing after the last.
///   throws Error(bad_input) that begins with `where`, Error(unsupported) on other element types
SafetensorsHeader parse_safetensors(std::string_view text, int64_t file_bytes,
                                    const std::string& where);

/// An open file whose header has been read and checked.
class SafetensorsFile {
 public:
  /// throws Error(not_found) if there is none, and what parse_safetensors does
  explicit SafetensorsFile(const std::string& path);
  ~SafetensorsFile();
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  const std::vector<TensorEntry>& tensors() const { return header_.tensors; }
  const TensorMetadata& metadata() const { return header_.metadata; }
  const std::string& path() const { return path_; }

  /// nullptr if there is none of that name
  const TensorEntry* find(std::string_view name) const;

  /// Fills `out` with the tensor of that name, type and shape.
  ///   throws Error(not_found) with the nearest names, Error(bad_input) on another type or shape
  void read(std::string_view name, TensorType type, std::span<const int64_t> shape,
            void* out) const;

 private:
  std::string path_;
  SafetensorsHeader header_;
  int file_ = -1;
};

}  // namespace ambidex
