// SPDX-License-Identifier: Apache-2.0
// Where a verb keeps what it makes on its way.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/temporary_folder.h"

namespace ambidex {

/// A folder that is gone when the command ends, unless the user has named one.
class WorkFolder {
 public:
  explicit WorkFolder(const std::string& named) {
    if (named.empty()) {
      path = temporary_.emplace().path();
    } else {
      path = named;
      std::filesystem::create_directories(path);
    }
  }

  std::filesystem::path path;

 private:
  std::optional<TemporaryFolder> temporary_;
};

}  // namespace ambidex
