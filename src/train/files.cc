// SPDX-License-Identifier: Apache-2.0
#include "train/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDraftMark = ".tmp-";
constexpr std::string_view kStepMark = "step-";
constexpr size_t kStepDigits = 12;

std::string draft_of(const std::string& path) {
  return fmt::format("{}{}{}", path, kDraftMark, ::getpid());
}

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_draft(std::string_view name) {
  const size_t mark = name.rfind(kDraftMark);
  return mark != std::string_view::npos && is_digits(name.substr(mark + kDraftMark.size()));
}

std::optional<int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kStepMark)) return std::nullopt;
  name.remove_prefix(kStepMark.size());
  if (name.size() != kStepDigits || !is_digits(name)) return std::nullopt;
  return int64_from_text(name);
}

void remove_tree(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) fail_file(path, "remove", error.value());
}

/// Paths of the folders in `folder`; none if it does not exist.
std::vector<fs::path> folders_in(const std::string& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  fs::directory_iterator at(folder, error);
  if (error == std::errc::no_such_file_or_directory) return paths;
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (at->is_directory(ignored)) paths.push_back(at->path());
  }
  if (error) fail_file(folder, "read", error.value());
  return paths;
}

void sync_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail_file(path, "write", errno);
  const int error = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  if (error != 0) fail_file(path, "write", error);
}

/// Locked until the descriptor is closed, if by the death of the process; -1 where there is no such
/// lock to be had.
int lock_folder(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file >= 0) ::flock(file, LOCK_EX | LOCK_NB);
  return file;
}

bool has_writer(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_locked = ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return is_locked;
}

/// `draft` takes the place of `path`. An older folder there is exchanged for it and then removed:
/// at any moment one of the two has the name.
void replace_folder(const std::string& draft, const std::string& path) {
  if (std::rename(draft.c_str(), path.c_str()) == 0) return;
  const bool is_taken = errno == ENOTEMPTY || errno == EEXIST;
  if (!is_taken) fail_file(path, "write", errno);
  if (::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS) fail_file(path, "replace", errno);
  // Some network file systems cannot exchange: for a moment, no folder has the name.
  remove_tree(path);
  if (std::rename(draft.c_str(), path.c_str()) != 0) fail_file(path, "replace", errno);
}

}  // namespace

FolderDraft::FolderDraft(const std::string& final_path)
    : final_path_(final_path), draft_path_(draft_of(final_path)) {
  std::error_code error;
  if (!fs::create_directories(draft_path_, error) && !error) {
    remove_tree(draft_path_);  // of a dead process that had our number
    fs::create_directory(draft_path_, error);
  }
  if (error) fail_file(draft_path_, "make the folder", error.value());
  lock_ = lock_folder(draft_path_);
}

FolderDraft::~FolderDraft() {
  std::error_code ignored;
  if (!draft_path_.empty()) fs::remove_all(draft_path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

std::string FolderDraft::file(const std::string& name) const { return draft_path_ + "/" + name; }

void FolderDraft::commit() {
  check(!draft_path_.empty(), "a draft is committed twice");
  std::error_code error;
  fs::directory_iterator at(draft_path_, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) sync_file(at->path());
  if (error) fail_file(draft_path_, "read", error.value());
  sync_folder(draft_path_);
  replace_folder(draft_path_, final_path_);
  sync_folder(fs::path(final_path_).parent_path().string());
  remove_tree(draft_path_);  // the folder that was replaced, if there was one
  draft_path_.clear();
}

void remove_dead_drafts(const std::string& folder) {
  for (const fs::path& path : folders_in(folder)) {
    if (is_draft(path.filename().string()) && !has_writer(path.string())) {
      remove_tree(path.string());
    }
  }
}

std::string checkpoint_folder(const std::string& folder, int64_t step) {
  return fmt::format("{}/{}{:0{}}", folder, kStepMark, step, kStepDigits);
}

std::vector<Checkpoint> list_checkpoints(const std::string& folder) {
  std::vector<Checkpoint> found;
  for (const fs::path& path : folders_in(folder)) {
    const std::optional<int64_t> step = step_of(path.filename().string());
    if (step) found.push_back({*step, path.string()});
  }
  std::sort(found.begin(), found.end(),
            [](const Checkpoint& a, const Checkpoint& b) { return a.step < b.step; });
  return found;
}

void prune_checkpoints(const std::string& folder, int64_t keep) {
  check(keep >= 1, "the newest checkpoint is to be pruned");
  const std::vector<Checkpoint> found = list_checkpoints(folder);
  for (int64_t i = 0; i + keep < std::ssize(found); ++i) {
    // Under a draft's name first: half of a checkpoint must not look like one after a kill.
    const std::string& path = found[static_cast<size_t>(i)].path;
    const std::string doomed = draft_of(path);
    remove_tree(doomed);
    if (std::rename(path.c_str(), doomed.c_str()) != 0) fail_file(path, "remove", errno);
    remove_tree(doomed);
  }
}

}  // namespace ambidex
