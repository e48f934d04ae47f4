// SPDX-License-Identifier: Apache-2.0
#include "port/port_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "base/files.h"
#include "base/json_depth.h"
#include "base/text.h"
#include "port/file_hashes.h"
#include "port/source_file.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kMarker = kPortMarker;
constexpr const char* kUnfinished = "unfinished.json";
constexpr const char* kManifest = "bundle.json";
constexpr int64_t kMaxRecordBytes = int64_t{1} << 30;

constexpr std::array<std::string_view, 18> kMade{
    kMarker,        kManifest,    kUnfinished,    "REPORT.md",
    "contracts",    "edits.json", "hazards.json", "hazards.sarif",
    "hip",          "native",     "objects",      "original",
    "patches",      "port.patch", "repair.json",  "transcript.jsonl",
    "verdict.json", "work"};

// Made anew by every run from all the rest, and nothing that a person works on.
bool is_by_product(const std::string& name) {
  return name == "work" || name == kManifest || name == kUnfinished || name == kMarker;
}

bool is_draft(const std::string& name) { return name.starts_with("hip.part-"); }

bool is_made(const std::string& name) {
  const std::string top = name.substr(0, name.find('/'));
  const bool is_patch = (top.starts_with("repair-") || top.starts_with("native-")) &&
                        top.ends_with(".patch") && top == name;
  return is_patch || is_draft(top) || std::find(kMade.begin(), kMade.end(), top) != kMade.end();
}

void check_apart(const PortRunOptions& options) {
  const fs::path folder(options.folder);
  if (!is_below(options.path, folder) &&
      !(fs::is_directory(options.path) && is_below(folder, options.path))) {
    return;
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: one of this folder and {} is within the other; name another folder "
                          "for the port",
                          quote(options.folder), quote(options.path)));
}

void check_not_in_port(const std::string& folder) {
  fs::path above(folder);
  if (!above.has_filename()) above = above.parent_path();  // "out/"
  while (above.has_relative_path()) {
    above = above.parent_path();
    if (!is_port_folder(above)) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: is within the port in {}; name a folder of its own", quote(folder),
                            quote(above.string())));
  }
}

// The folder is new, or empty, or holds what an earlier run has made.
void check_ours(const std::string& folder) {
  std::error_code failure;
  if (!fs::exists(folder, failure)) return;
  if (!fs::is_directory(folder, failure)) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: is no folder; name another", quote(folder)));
  }
  if (is_port_folder(folder) || fs::is_empty(folder, failure)) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: is there already and holds no earlier port; name another folder",
                          quote(folder)));
}

// What the last run, or the one that was broken off, says of its files; empty without a word of it.
Json recorded_in(const fs::path& folder) {
  for (const char* record : {kManifest, kUnfinished}) {
    const std::string path = (folder / record).string();
    std::error_code failure;
    if (!fs::is_regular_file(path, failure)) continue;
    try {
      const Json json = parse_foreign_json<Json>(read_file(path, kMaxRecordBytes));
      if (json.is_object() && json.contains("files") && json["files"].is_object()) {
        return json["files"];
      }
    } catch (const Error&) {  // a damaged one vouches for nothing
    }
    return Json::object();
  }
  return Json::object();
}

// Files that the next run would remove and that are not as the last one has written them.
std::vector<std::string> changed_files(const fs::path& folder) {
  std::error_code failure;
  const bool is_whole = fs::exists(folder / kManifest, failure);
  const Json recorded = recorded_in(folder);
  std::vector<std::string> changed;
  for (const auto& [name, hash] : file_hashes(folder, is_made)) {
    const std::string top = name.substr(0, name.find('/'));
    // A run that was broken off may have written more code objects than it has noted.
    const bool is_loose = !is_whole && (top == "objects" || is_draft(top));
    if (is_by_product(top) || is_loose || recorded.value(name, Json()) == Json(hash)) continue;
    changed.push_back(name);
  }
  return changed;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder) {
  file_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file_ < 0) fail_file(printable(folder), "open", errno);
  // A file system without locks has none to be heeded.
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(file_);
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: another run works in this folder; wait for it, or name another",
                          quote(folder)));
}

FolderLock::~FolderLock() { ::close(file_); }

PortFolder::PortFolder(const PortRunOptions& options) : folder_(options.folder) {
  check_apart(options);
  check_not_in_port(folder_);
  check_ours(folder_);
  was_there_ = fs::exists(folder_);
  std::error_code failure;
  fs::create_directories(folder_, failure);
  if (failure) fail_file(printable(folder_), "create", failure.value());
  lock_.emplace(folder_);
  keep_edits(folder_, changed_files(folder_));
  clear();
  write_file((fs::path(folder_) / kMarker).string(),
             "Made by `ambidex port run`, which replaces what it has made here.\n");
}

PortFolder::~PortFolder() {
  if (is_finished_) return;
  try {
    if (is_noted_ && !changed_files(folder_).empty()) return;  // by somebody who did not wait
  } catch (const std::exception&) {
    return;
  }
  clear();
  std::error_code failure;
  if (!was_there_) fs::remove(folder_, failure);  // if it is empty
}

// The record goes last, so that a run that is killed here leaves nothing that nothing vouches for.
void PortFolder::clear() const {
  const fs::path folder(folder_);
  std::error_code failure;
  fs::rename(folder / kManifest, folder / kUnfinished, failure);
  std::vector<fs::path> made;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename().string();
    if (is_made(name) && name != kUnfinished && name != kMarker) made.push_back(entry.path());
  }
  for (const fs::path& path : made) fs::remove_all(path, failure);
  fs::remove(folder / kUnfinished, failure);
  fs::remove(folder / kMarker, failure);
}

void PortFolder::note() {
  const auto is_noted = [](const std::string& name) {
    return is_made(name) && !is_by_product(name);
  };
  const Json json{{"files", file_hashes(folder_, is_noted)}};
  write_file((fs::path(folder_) / kUnfinished).string(), json.dump(2) + "\n");
  is_noted_ = true;
}

void PortFolder::finish() {
  std::error_code failure;
  fs::remove(fs::path(folder_) / kUnfinished, failure);
  is_finished_ = true;
}

}  // namespace ambidex
