// SPDX-License-Identifier: Apache-2.0
// The folder that a port is made in: what an earlier run has made there goes, what anybody else has
// made or changed there stays.
#pragma once

#include <optional>
#include <string>

#include "port/run.h"

namespace ambidex {

/// Nobody else's while it lives.
class FolderLock {
 public:
  /// throws Error(bad_input) if another process has it
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

/// The folder while a run works in it. It goes, with what was made in it, unless the run is
/// finished.
class PortFolder {
 public:
  /// Makes the folder, or clears it of what an earlier run has made.
  ///   throws Error(bad_input) if it is no folder, holds other things than a port, is within the
  ///   sources or they in it, is another run's, or holds files of a port that were changed or added
  ///   since it was written
  explicit PortFolder(const PortRunOptions& options);
  ~PortFolder();
  PortFolder(const PortFolder&) = delete;
  PortFolder& operator=(const PortFolder&) = delete;

  /// Notes what was made up to now in unfinished.json, so that a later run can tell it from what a
  /// user has changed, should this one be killed.
  void note();

  /// The bundle is written.
  void finish();

 private:
  void clear() const;

  std::string folder_;
  bool was_there_ = false, is_noted_ = false, is_finished_ = false;
  std::optional<FolderLock> lock_;
};

}  // namespace ambidex
