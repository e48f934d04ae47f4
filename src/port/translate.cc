// SPDX-License-Identifier: Apache-2.0
#include "port/translate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "ambidex/base.h"
#include "base/files.h"
#include "base/text.h"
#include "port/content_hash.h"
#include "port/frontend.h"
#include "port/refusal_marks.h"
#include "port/source_file.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

bool is_source(const std::string& name) {
  static constexpr std::array<std::string_view, 15> kEndings{
      ".cu",  ".cuh", ".h",   ".hpp", ".hh",  ".hxx", ".c",  ".cc",
      ".cpp", ".cxx", ".inl", ".inc", ".ipp", ".tpp", ".hip"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

// Our own header in a tree that was translated before.
bool is_support(const std::string& name) {
  return name == "ambidex_port.h" || name.starts_with("ambidex_port/") ||
         name.find("/ambidex_port/") != std::string::npos || name.ends_with("/ambidex_port.h") ||
         name == "edits.json";
}

TranslatedFile found_file(const fs::directory_entry& entry, const fs::path& root) {
  TranslatedFile file;
  file.path = entry.path().string();
  file.name = entry.path().lexically_relative(root).string();
  file.new_name = file.name;
  if (entry.is_symlink()) {
    file.link = fs::read_symlink(entry.path()).string();
  } else {
    file.text = read_file(file.path, kMaxSourceBytes);
  }
  return file;
}

// Every file below the folder; links are not followed, and neither .git nor the folder
// of a port is looked into.
std::vector<TranslatedFile> files_below(const fs::path& root) {
  std::vector<TranslatedFile> files;
  std::error_code failure;
  fs::recursive_directory_iterator walk(root, failure);
  if (failure) fail_file(root.string(), "list", failure.value());
  for (; walk != fs::recursive_directory_iterator(); walk.increment(failure)) {
    if (failure) fail_file(root.string(), "list", failure.value());
    if (walk->path().filename() == ".git" || is_port_folder(walk->path())) {
      walk.disable_recursion_pending();
    }
    if (walk->is_symlink() || walk->is_regular_file()) files.push_back(found_file(*walk, root));
  }
  std::sort(files.begin(), files.end(),
            [](const TranslatedFile& a, const TranslatedFile& b) { return a.name < b.name; });
  return files;
}

TranslateEdit edit_from(const Json& json) {
  return {.line = json.at("line"),
          .offset = json.at("offset"),
          .length = json.at("length"),
          .replacement = json.at("replacement"),
          .rule = json.at("rule"),
          .hazard = json.at("hazard"),
          .note = json.at("note"),
          .carried = json.value("carried", false)};
}

void take_answer(const Json& answer, TranslatedFile& file) {
  if (answer.at("hash") != content_hash(file.text)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: changed while it was translated; run again", file.path));
  }
  for (const Json& edit : answer.at("edits")) file.edits.push_back(edit_from(edit));
  for (const Json& refusal : answer.at("refusals")) {
    file.refusals.push_back({.line = refusal.at("line"),
                             .hazard = refusal.at("hazard"),
                             .rule = refusal.at("rule"),
                             .reason = refusal.at("reason")});
  }
}

// From a file up to the root of its tree, where ambidex_port.h lies: "../../" of "a/b/c.cu".
std::string way_to_root(const std::string& name) {
  std::string way;
  for (const char c : name) {
    if (c == '/') way += "../";
  }
  return way;
}

void ask_for_edits(TranslatedTree& tree, const TranslateOptions& options) {
  Json request{{"files", Json::array()},
               {"rename", options.rename},
               {"arguments", options.arguments},
               {"ways", Json::object()}};
  std::map<std::string, TranslatedFile*> by_path;
  for (TranslatedFile& file : tree.files) {
    if (!file.link.empty() || !is_source(file.name) || is_support(file.name)) continue;
    request["files"].push_back(file.path);
    request["ways"][file.path] = way_to_root(file.name);
    by_path[file.path] = &file;
  }
  if (by_path.empty()) return;
  const Json answer =
      ask_frontend("translate", request, kReadSeconds * static_cast<double>(by_path.size()));
  for (const Json& file : answer.at("files")) {
    take_answer(file, *by_path.at(file.at("file").get<std::string>()));
  }
  for (const Json& file : answer.at("support")) {
    const std::string name = file.at("name");
    tree.support.push_back({.name = name, .new_name = name, .new_text = file.at("text")});
  }
}

bool has_port_edit(const TranslatedFile& file) {
  return std::any_of(file.edits.begin(), file.edits.end(), [](const TranslateEdit& edit) {
    return edit.replacement.find("ambidex_port") != std::string::npos;
  });
}

std::string hip_name(const std::string& name) {
  return name.ends_with(".cu") ? name.substr(0, name.size() - 3) + ".hip" : name;
}

// Other files of a tree may be anything, and are copied.
void check_tree(const TranslatedTree& tree, const std::string& path) {
  bool holds_source = false;
  for (const TranslatedFile& file : tree.files) {
    holds_source = holds_source || is_source(file.name) || is_build_file(file.name);
    if (!file.name.ends_with(".cu") && !file.name.ends_with(".cuh")) continue;
    const std::string why = why_no_source(file.text);
    if (why.empty()) continue;
    throw Error(ErrorKind::bad_input, fmt::format("{}: {}", quote(file.path), why));
  }
  if (holds_source) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: no source and no build file in it; name a folder of CUDA sources",
                          quote(path)));
}

void rename_files(TranslatedTree& tree) {
  std::set<std::string> names;
  for (const TranslatedFile& file : tree.files) names.insert(file.name);
  for (TranslatedFile& file : tree.files) {
    file.new_name = hip_name(file.name);
    if (!file.link.empty()) file.link = hip_name(file.link);
    if (file.new_name == file.name || !names.contains(file.new_name)) continue;
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}: would become {}, which is there already; rename one of the two, or "
                    "keep names with --keep-names",
                    file.path, file.new_name));
  }
}

void translate_build_files(TranslatedTree& tree, bool rename) {
  const auto is_translated = [](const TranslatedFile& file) {
    return file.link.empty() && is_build_file(file.name);
  };
  BuildOptions options{.rename = rename};
  for (const TranslatedFile& file : tree.files) {
    options.relocatable =
        options.relocatable || (is_translated(file) && links_across_files(file.name, file.text));
  }
  for (TranslatedFile& file : tree.files) {
    if (!is_translated(file)) continue;
    BuildTranslation build = translate_build(file.name, file.text, options);
    file.edits = std::move(build.edits);
    file.refusals = std::move(build.refusals);
  }
}

}  // namespace

std::string edited(const std::string& text, const std::vector<TranslateEdit>& edits) {
  std::string out;
  size_t at = 0;
  for (const TranslateEdit& edit : edits) {
    if (edit.carried) continue;
    const auto offset = static_cast<size_t>(edit.offset);
    out.append(text, at, offset - at);
    out += edit.replacement;
    at = offset + static_cast<size_t>(edit.length);
  }
  return out.append(text, at, std::string::npos);
}

TranslatedTree translate_tree(const std::string& path, const TranslateOptions& options) {
  TranslatedTree tree;
  tree.is_file = !is_source_folder(path);
  const fs::path given = fs::path(path).lexically_normal();
  if (tree.is_file) {
    check_source(path);
    const fs::path parent = given.has_parent_path() ? given.parent_path() : fs::path(".");
    tree.root = parent.string();
    tree.files.push_back(found_file(fs::directory_entry(fs::canonical(given)), parent));
    tree.files[0].name = tree.files[0].new_name = given.filename().string();
  } else {
    tree.root = given.string();
    tree.files = files_below(given);
    check_tree(tree, path);
  }
  ask_for_edits(tree, options);
  translate_build_files(tree, options.rename);
  if (options.rename) rename_files(tree);
  for (TranslatedFile& file : tree.files) {
    if (!is_build_file(file.name)) mark_refusals(file);
    tree.needs_support = tree.needs_support || has_port_edit(file);
    file.new_text = edited(file.text, file.edits);
  }
  if (!tree.needs_support) tree.support.clear();
  return tree;
}

}  // namespace ambidex
