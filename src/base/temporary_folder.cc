// SPDX-License-Identifier: Apache-2.0
#include "base/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::error_code failure;
  fs::path parent = fs::temp_directory_path(failure);
  if (failure) parent = "/tmp";  // mkdtemp says that it is not there
  path_ = (parent / "ambidex-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: cannot be made; set TMPDIR to a folder that can be written to",
                            quote(path_)));
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace ambidex
