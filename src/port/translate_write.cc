// SPDX-License-Identifier: Apache-2.0
// A translated tree on the disk: whole in a new folder, or in the place of the old one.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "ambidex/base.h"
#include "base/files.h"
#include "port/translate.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kMaker = "ambidex port translate";
constexpr int64_t kMaxFileBytes = 64 << 20;

Json json_of(const TranslatedFile& file) {
  Json edits = Json::array();
  for (const TranslateEdit& edit : file.edits) {
    edits.push_back({{"line", edit.line},
                     {"offset", edit.offset},
                     {"length", edit.length},
                     {"replacement", edit.replacement},
                     {"rule", edit.rule},
                     {"hazard", edit.hazard},
                     {"note", edit.note}});
    if (edit.carried) edits.back()["carried"] = true;
  }
  Json refusals = Json::array();
  for (const TranslateRefusal& refusal : file.refusals) {
    refusals.push_back({{"line", refusal.line},
                        {"hazard", refusal.hazard},
                        {"rule", refusal.rule},
                        {"reason", refusal.reason}});
  }
  return {{"file", file.name}, {"output", file.new_name}, {"edits", edits}, {"refusals", refusals}};
}

bool is_ours(const fs::path& folder) {
  const fs::path record = folder / "edits.json";
  std::error_code failure;
  if (!fs::is_regular_file(record, failure)) return false;
  const Json json = Json::parse(read_file(record.string(), 1 << 30), nullptr, false);
  return json.is_object() && json.value("made_by", "") == kMaker;
}

void check_output(const fs::path& folder) {
  std::error_code failure;
  if (!fs::exists(fs::symlink_status(folder, failure))) return;
  const bool is_folder = fs::is_directory(folder, failure);
  if (is_folder && fs::is_empty(folder, failure)) return;
  if (is_folder && is_ours(folder)) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: is there already and was not made by {}; name another folder",
                          folder.string(), kMaker));
}

void make_folders(const fs::path& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure) fail_file(path.string(), "create", failure.value());
}

void copy_mode(const std::string& from, const fs::path& to) {
  std::error_code failure;
  const auto status = fs::status(from, failure);
  if (!failure) fs::permissions(to, status.permissions(), failure);
}

void write_one(const TranslatedFile& file, const fs::path& folder) {
  const fs::path path = folder / file.new_name;
  make_folders(path.parent_path());
  if (!file.link.empty()) {
    std::error_code failure;
    fs::create_symlink(file.link, path, failure);
    if (failure) fail_file(path.string(), "link", failure.value());
    return;
  }
  write_file(path.string(), file.new_text);
  if (!file.path.empty()) copy_mode(file.path, path);
}

void rename_path(const fs::path& from, const fs::path& to) {
  std::error_code failure;
  fs::rename(from, to, failure);
  if (failure) fail_file(to.string(), "rename " + from.string() + " to it", failure.value());
}

// The folder's new contents take its name; what was there goes last.
void take_place(const fs::path& draft, const fs::path& folder) {
  std::error_code failure;
  if (!fs::exists(folder, failure)) return rename_path(draft, folder);
  const fs::path old = folder.string() + fmt::format(".old-{}", getpid());
  rename_path(folder, old);
  rename_path(draft, folder);
  fs::remove_all(old, failure);
}

bool changes(const TranslatedFile& file) {
  return file.new_name != file.name || file.new_text != file.text;
}

// Where a file goes that is renamed: free, or holding just what would be written.
void check_free(const fs::path& path, const TranslatedFile& file) {
  std::error_code failure;
  if (!fs::exists(fs::symlink_status(path, failure))) return;
  if (fs::is_regular_file(path) && read_file(path.string(), kMaxFileBytes) == file.new_text) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: is there already; {} would become it; move one of the two",
                          path.string(), file.name));
}

void check_unchanged(const TranslatedFile& file) {
  if (read_file(file.path, kMaxFileBytes) == file.text) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: changed while it was translated; nothing was written, run again",
                          file.path));
}

}  // namespace

std::string edits_json(const std::vector<TranslatedTree>& trees) {
  Json files = Json::array();
  for (const TranslatedTree& tree : trees) {
    for (const TranslatedFile& file : tree.files) {
      const bool is_plain = file.edits.empty() && file.refusals.empty();
      if (!is_plain || file.new_name != file.name) files.push_back(json_of(file));
    }
  }
  const Json out{{"made_by", kMaker}, {"files", std::move(files)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_tree(const TranslatedTree& tree, const std::string& folder) {
  fs::path path = fs::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  check_output(path);
  const fs::path draft = path.string() + fmt::format(".part-{}", getpid());
  std::error_code failure;
  fs::remove_all(draft, failure);
  make_folders(draft);
  try {
    for (const TranslatedFile& file : tree.files) write_one(file, draft);
    for (const TranslatedFile& file : tree.support) write_one(file, draft);
    write_file((draft / "edits.json").string(), edits_json({tree}));
    take_place(draft, path);
  } catch (...) {
    fs::remove_all(draft, failure);
    throw;
  }
}

void write_in_place(const TranslatedTree& tree) {
  const fs::path root(tree.root);
  std::vector<const TranslatedFile*> changed;
  for (const TranslatedFile& file : tree.files) {
    if (file.link.empty() && changes(file)) changed.push_back(&file);
  }
  for (const TranslatedFile* file : changed) {
    check_unchanged(*file);
    if (file->new_name != file->name) check_free(root / file->new_name, *file);
  }
  for (const TranslatedFile& file : tree.support) write_one(file, root);
  for (const TranslatedFile* file : changed) write_one(*file, root);
  std::error_code failure;
  for (const TranslatedFile* file : changed) {
    if (file->new_name == file->name) continue;
    fs::remove(file->path, failure);
    if (failure) fail_file(file->path, "remove", failure.value());
  }
}

}  // namespace ambidex
