// SPDX-License-Identifier: Apache-2.0
// The files of data/ that are compiled into the library, so that neither the command nor the
// Python package needs a search path.
#pragma once

#include <span>
#include <string_view>

namespace ambidex {

struct EmbeddedFile {
  std::string_view path;      // "data/devices/h200.yaml", as in the source tree
  std::string_view contents;  // byte for byte; lives as long as the program
};

/// Every file of data/ that a verb reads by name, sorted by path; src/CMakeLists.txt lists them.
std::span<const EmbeddedFile> embedded_files();

}  // namespace ambidex
