// SPDX-License-Identifier: Apache-2.0
// What a path stands for: which format, which files in which order.
#pragma once

#include <string>
#include <vector>

#include "ambidex/model.h"

namespace ambidex {

struct DataFiles {
  std::string format;  // "criteo", "csv", "recbole", "npy", "hugectr", "synthetic"
  /// In reading order; of recbole the prefix alone, of synthetic the words.
  std::vector<std::string> files;
};

/// Looks at names and, of text, at the first line. `format` empty: found out. Criteo's lines may
/// begin with a blank if not `labelled`.
///   throws Error(not_found), Error(bad_input) with what was looked for
DataFiles find_data(const std::string& path, const std::string& format, bool labelled = true);

/// Compares runs of digits as numbers: day_2 before day_10.
bool is_before(const std::string& a, const std::string& b);

/// `path`, or else `path` with .gz or .zst: the one that exists; empty if none does.
std::string with_compression(const std::string& path);

}  // namespace ambidex
