// SPDX-License-Identifier: Apache-2.0
// One array of numpy's .npy format, read row after row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/bytes.h"

namespace ambidex {

enum class NpyType : uint8_t { f32, f64, i32, u32, i64 };

/// What precedes the elements, which are little-endian and in C order.
struct NpyHeader {
  NpyType type = NpyType::f32;
  std::string descr;           // "<f4": the type as the file has it
  std::vector<int64_t> shape;  // every length >= 0
};

/// Reads the dict of a header, what follows magic and length; `where` opens the messages.
///   throws Error(bad_input), and Error(unsupported) on other element types and on Fortran order
NpyHeader parse_npy_header(std::string_view text, const std::string& where);

/// An array of one or two dimensions, of which the next row is `row`.
struct NpyArray {
  ByteStream bytes;
  NpyHeader header;
  int64_t first_byte = 0;  // of the elements, in `bytes`
  int64_t num_rows = 0;
  int64_t num_columns = 0;  // 1 for an array of one dimension
  int64_t row = 0;
  std::vector<char> raw;  // of the rows being read
};

/// Reads the header and holds the shape against the bytes that are there.
NpyArray open_npy_array(ByteStream bytes);

/// The next `count` rows into out [count, num_columns].
void read_floats(NpyArray& array, int64_t count, float* out);

/// The same of an array of integers. 32-bit ones below 0 give the unsigned number of the same bits:
/// numpy has no other place for a hexadecimal id above 7fffffff in an int32 array.
void read_ids(NpyArray& array, int64_t count, int64_t* out);

void seek_row(NpyArray& array, int64_t row);

bool has_integers(const NpyHeader& header);

}  // namespace ambidex
