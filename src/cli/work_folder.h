// SPDX-License-Identifier: Apache-2.0
// Where a verb keeps what it makes on its way.
#pragma once

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "ambidex/base.h"

namespace ambidex {

/// A folder that is gone when the command ends, unless the user has named one.
struct WorkFolder {
  std::filesystem::path path;
  bool temporary = false;
  WorkFolder(const std::string& named, std::string_view flag)
      : path(named), temporary(named.empty()) {
    if (temporary) {
      std::string pattern = (std::filesystem::temp_directory_path() / "ambidex-XXXXXX").string();
      if (mkdtemp(pattern.data()) == nullptr) {
        throw Error(ErrorKind::bad_input,
                    fmt::format("{}: cannot make a folder there; name one with {}", pattern, flag));
      }
      path = pattern;
    }
    std::filesystem::create_directories(path);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder() {
    std::error_code ignored;
    if (temporary) std::filesystem::remove_all(path, ignored);
  }
};

}  // namespace ambidex
