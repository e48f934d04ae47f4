// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ambidex {

/// An empty folder below $TMPDIR that goes, with all in it, with the object.
class TemporaryFolder {
 public:
  /// throws Error(bad_input) if none can be made
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace ambidex
