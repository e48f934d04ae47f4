// SPDX-License-Identifier: Apache-2.0
// For tests of binary data: files byte by byte, layouts by hand, and what is thrown.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "ambidex/base.h"
#include "data/source.h"

namespace ambidex {

/// Little-endian, of `count` bytes.
inline std::string number(uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i, value >>= 8) bytes += static_cast<char>(value & 0xff);
  return bytes;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline std::string npy_of(const std::string& dict, const std::string& elements, int version = 1) {
  return "\x93NUMPY" + number(static_cast<uint64_t>(version), 1) + number(0, 1) +
         number(dict.size(), version == 1 ? 2 : 4) + dict + elements;
}

template <class T>
std::string npy(std::string_view descr, const std::string& shape, const std::vector<T>& values) {
  return npy_of(
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}\n", descr, shape),
      raw(values));
}

/// A folder that goes away with the test.
struct Scratch {
  std::filesystem::path folder;
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "binary_data_XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~Scratch() { std::filesystem::remove_all(folder); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream((folder / name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string path(const std::string& name) const { return (folder / name).string(); }
};

inline RecordLayout layout_with(int64_t num_dense, const std::vector<int64_t>& lookups,
                                int64_t rows = 1000) {
  RecordLayout layout;
  for (int64_t i = 0; i < num_dense; ++i) layout.dense.push_back({.name = fmt::format("d{}", i)});
  for (size_t i = 0; i < lookups.size(); ++i) {
    layout.ids.push_back({.feature = fmt::format("f{}", i),
                          .lookups = lookups[i],
                          .rows = rows,
                          .first = layout.num_lookups});
    layout.num_lookups += lookups[i];
  }
  return layout;
}

inline Records read_all(const Source& source, int64_t piece = 1000, BadRecords bad = {}) {
  Records records;
  while (true) {
    const int64_t before = records.size;
    source.read(records, piece, bad);
    if (records.size == before) return records;
  }
}

/// What `call` throws, which must be of `kind`.
inline std::string message_of(ErrorKind kind, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}
inline std::string bad_input(const std::function<void()>& call) {
  return message_of(ErrorKind::bad_input, call);
}
inline std::string unsupported(const std::function<void()>& call) {
  return message_of(ErrorKind::unsupported, call);
}

}  // namespace ambidex
