// SPDX-License-Identifier: Apache-2.0
// The hazards of whole source trees, found by ambidex-clang.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ambidex/port.h"
#include "port/frontend.h"

namespace ambidex {

struct ScanOptions {
  std::vector<std::string> paths;      // files and folders, at least one
  std::vector<std::string> arguments;  // for clang: -DNAME, -IFOLDER
  bool hip = false;                    // the sources are HIP already
  int num_processes = 2;               // of ambidex-clang, side by side
  double max_seconds = kReadSeconds;   // for one file
};

struct ScanNote {
  std::string file;
  int64_t line = 0;  // 0 if it is about the whole file
  std::string text;
  bool operator==(const ScanNote&) const = default;
};

struct ScanResult {
  std::vector<Finding> findings;           // by file, line, id; one per id and line
  std::vector<std::string> files;          // that were looked at
  std::vector<ScanNote> unknown_includes;  // text: the name; taken as empty
  std::vector<ScanNote> parse_errors;      // clang's, and files that were not looked at
};

/// Looks at every CUDA source and header of the paths, and at their build files for flags. A file
/// on which clang crashes or takes too long is looked at word by word, and noted.
///   throws Error(not_found) if a path does not exist, Error(bad_input) if it holds no source or a
///   named one cannot be read, and Error(internal) if no file could be looked at
ScanResult scan(const ScanOptions& options);

/// [{"id", "severity", "file", "line", "message", "fix", "column", "evidence"}]
nlohmann::ordered_json to_json(const std::vector<Finding>& findings);

/// The files of a scan, in order: what is compiled, headers, build files.
struct ScanSources {
  std::vector<std::string> roots;
  std::vector<std::string> headers;
  std::vector<std::string> build_files;
  std::vector<ScanNote> unread;  // of a folder: cannot be read, or are no text
};

/// Folders are walked, and sources in them that name nothing of CUDA are left out; a file that is
/// named is always taken.
///   throws Error(not_found), or Error(bad_input) for a named file that is none of `unread` either
ScanSources scan_sources(const std::vector<std::string>& paths);

}  // namespace ambidex
