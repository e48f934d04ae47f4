// SPDX-License-Identifier: Apache-2.0
// A model as a list of products: M,N,K,layout,dtype,count.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ambidex/base.h"

namespace ambidex {

struct Shape {
  GemmOp op;
  int64_t count = 1;  // how often the model does it
  std::string place;  // "file.csv:3"
};

/// Rows of a CSV file, plain or gzip. layout, dtype and count may be missing: `pattern` and 1
/// stand in; the rest of every op is from `pattern`.
///   throws Error(not_found), or Error(bad_input) with file, line and field
std::vector<Shape> read_shapes(const std::string& path, const GemmOp& pattern);

/// The same from text; `where` is the file name that messages carry.
std::vector<Shape> parse_shapes(std::string_view text, const std::string& where,
                                const GemmOp& pattern);

}  // namespace ambidex
