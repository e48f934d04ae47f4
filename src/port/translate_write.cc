// SPDX-License-Identifier: Apache-2.0
// A translated tree on the disk: whole in a new folder, or in the place of the old one.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "ambidex/base.h"
#include "base/files.h"
#include "base/json_depth.h"
#include "base/text.h"
#include "port/content_hash.h"
#include "port/source_file.h"
#include "port/translate.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kMaker = "ambidex port translate";
constexpr const char* kRecord = "edits.json";

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

// What edits.json keeps of a written file, to tell a user's edit by.
std::string mark_of(const TranslatedFile& file) {
  return content_hash(file.link.empty() ? file.new_text : "link to " + file.link);
}

// The same of a file as it is now.
std::string mark_of(const fs::directory_entry& entry) {
  if (entry.is_symlink()) return content_hash("link to " + fs::read_symlink(entry).string());
  return entry.is_regular_file() ? content_hash(read_file(entry.path().string(), 1 << 30)) : "";
}

// The record of an earlier call, with "outputs": {name: mark}; null if the folder has none.
Json record_of(const fs::path& folder) {
  const fs::path record = folder / kRecord;
  std::error_code failure;
  if (!fs::is_regular_file(record, failure)) return nullptr;
  Json json = parse_foreign_json(read_file(record.string(), 1 << 30));
  const bool is_ours = json.is_object() && json.value("made_by", Json()) == Json(kMaker) &&
                       json.value("outputs", Json()).is_object();
  return is_ours ? json : Json();
}

std::vector<std::string> edited_since(const fs::path& folder, const Json& outputs) {
  std::vector<std::string> edited;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_symlink() && entry.is_directory()) continue;
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    if (name == kRecord || outputs.value(name, Json()) == Json(mark_of(entry))) continue;
    edited.push_back(name);
  }
  std::sort(edited.begin(), edited.end());
  return edited;
}

void check_output(const fs::path& folder) {
  std::error_code failure;
  if (!fs::exists(fs::symlink_status(folder, failure))) return;
  const bool is_folder = fs::is_directory(folder, failure);
  if (is_folder && fs::is_empty(folder, failure)) return;
  const Json record = is_folder ? record_of(folder) : Json();
  if (record.is_object()) {
    return keep_edits(folder.string(), edited_since(folder, record["outputs"]));
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: is there already and was not made by {}; name another folder",
                          printable(folder.string()), kMaker));
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
  if (fs::is_regular_file(path) && read_file(path.string(), kMaxSourceBytes) == file.new_text)
    return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: is there already; {} would become it; move one of the two",
                          path.string(), file.name));
}

void check_unchanged(const TranslatedFile& file) {
  if (read_file(file.path, kMaxSourceBytes) == file.text) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: changed while it was translated; nothing was written, run again",
                          file.path));
}

Json edits_of(const std::vector<TranslatedTree>& trees) {
  Json files = Json::array();
  for (const TranslatedTree& tree : trees) {
    for (const TranslatedFile& file : tree.files) {
      const bool is_plain = file.edits.empty() && file.refusals.empty();
      if (!is_plain || file.new_name != file.name) files.push_back(json_of(file));
    }
  }
  return {{"made_by", kMaker}, {"files", std::move(files)}};
}

std::string text_of(const Json& edits) {
  return edits.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The edits, and a mark of every file that is written beside them.
std::string record_text(const TranslatedTree& tree) {
  Json record = edits_of({tree});
  record["outputs"] = Json::object();
  for (const auto* files : {&tree.files, &tree.support}) {
    for (const TranslatedFile& file : *files) record["outputs"][file.new_name] = mark_of(file);
  }
  return text_of(record);
}

}  // namespace

std::string edits_json(const std::vector<TranslatedTree>& trees) {
  return text_of(edits_of(trees));
}

void keep_edits(const std::string& folder, const std::vector<std::string>& names) {
  constexpr size_t kMaxNames = 5;
  if (names.empty()) return;
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), kMaxNames); ++i) {
    list += (i == 0 ? "" : ", ") + quote(names[i]);
  }
  if (names.size() > kMaxNames) list += fmt::format(" and {} more", names.size() - kMaxNames);
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: changed since it was written: {}; move the folder away to keep "
                          "that, remove it to lose that, or name another folder",
                          printable(folder), list));
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
    write_file((draft / kRecord).string(), record_text(tree));
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
