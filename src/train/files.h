// SPDX-License-Identifier: Apache-2.0
// Checkpoints as folders that are there whole or not at all:
//
//   FolderDraft draft(checkpoint_folder("run/checkpoints", step));
//   write_safetensors(draft.file("dense.safetensors"), tensors);
//   draft.commit();
//   prune_checkpoints("run/checkpoints", 3);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files.h"

namespace ambidex {

/// A folder that is filled beside its final name, under NAME.tmp-PID, and renamed when it is
/// complete. Unless committed, it goes with the object.
class FolderDraft {
 public:
  /// The folder around `final_path` is made if need be.
  ///   throws Error(bad_input) with the path
  explicit FolderDraft(const std::string& final_path);
  ~FolderDraft();
  FolderDraft(const FolderDraft&) = delete;
  FolderDraft& operator=(const FolderDraft&) = delete;

  /// Where to write a file of this name, which names no folder.
  std::string file(const std::string& name) const;

  /// Syncs the files and the folder, renames it, syncs the folder around it. A folder that has the
  /// final name is replaced in one step.
  ///   throws Error(bad_input) with the path; the draft is then removed, an older folder kept
  void commit();

 private:
  std::string final_path_;
  std::string draft_path_;
  int lock_ = -1;  // of the draft; its end tells others that the writer is gone
};

/// Removes the drafts in `folder` whose writers no longer live. No folder: nothing to do.
///   throws Error(bad_input) with the path
void remove_dead_drafts(const std::string& folder);

struct Checkpoint {
  int64_t step = 0;
  std::string path;
};

/// FOLDER/step-000000001000
std::string checkpoint_folder(const std::string& folder, int64_t step);

/// The complete ones, by step, newest last. No folder: none. Other names are left alone.
///   throws Error(bad_input) if the folder cannot be read
std::vector<Checkpoint> list_checkpoints(const std::string& folder);

/// Removes all but the newest `keep` (>= 1).
///   throws Error(bad_input) with the path
void prune_checkpoints(const std::string& folder, int64_t keep);

}  // namespace ambidex
