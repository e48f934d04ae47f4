// SPDX-License-Identifier: Apache-2.0
#include "port/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "ambidex/base.h"
#include "base/text.h"
#include "port/frontend.h"
#include "port/source_file.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

bool is_device_source(const fs::path& path, const std::string& dialect) {
  return path.extension() == (dialect == "cuda" ? ".cu" : ".hip");
}

bool is_host_source(const fs::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".cc" || path.extension() == ".cxx";
}

bool is_header(const fs::path& path) {
  static const std::set<std::string> kExtensions{".h", ".hpp", ".cuh", ".hh", ".inl"};
  return kExtensions.contains(path.extension().string());
}

struct Tree {
  std::vector<std::string> sources;
  std::set<std::string> header_folders;
};

Tree tree_of(const std::string& path, const std::string& dialect) {
  Tree tree;
  std::error_code failure;
  for (fs::recursive_directory_iterator at(path, failure), end; at != end && !failure;
       at.increment(failure)) {
    if (is_port_folder(at->path())) at.disable_recursion_pending();
    if (!at->is_regular_file(failure)) continue;
    if (is_device_source(at->path(), dialect) || is_host_source(at->path())) {
      tree.sources.push_back(at->path().string());
    } else if (is_header(at->path())) {
      tree.header_folders.insert(at->path().parent_path().string());
    }
  }
  if (failure) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: cannot be read: {}", quote(path), failure.message()));
  }
  std::sort(tree.sources.begin(), tree.sources.end());
  return tree;
}

struct Source {
  std::string path;
  nlohmann::json facts;
  bool has_main() const { return facts.at("main").get<bool>(); }
};

Source source_of(const std::string& path, const std::string& dialect,
                 const std::vector<std::string>& arguments) {
  return {path,
          ask_frontend("facts", {{"file", path}, {"dialect", dialect}, {"arguments", arguments}},
                       kReadSeconds)};
}

Program program_of(const Source& first, const std::vector<Source>& others,
                   const std::vector<std::string>& arguments,
                   const std::vector<std::string>& words) {
  Program program{.name = fs::path(first.path).stem().string(),
                  .sources = {first.path},
                  .arguments = arguments,
                  .has_main = first.has_main(),
                  .facts = {{"kernels", first.facts.at("kernels")},
                            {"launches", first.facts.at("launches")},
                            {"errors", first.facts.at("errors")}},
                  .words = words};
  for (const Source& other : others) {
    program.sources.push_back(other.path);
    for (const char* key : {"kernels", "launches", "errors"}) {
      for (const auto& row : other.facts.at(key)) program.facts[key].push_back(row);
    }
  }
  return program;
}

// The tree below a folder; nothing if the path is a file.
std::optional<Tree> checked_tree(const std::string& path, const std::string& dialect) {
  if (!is_source_folder(path)) {
    check_source(path);
    return std::nullopt;
  }
  Tree tree = tree_of(path, dialect);
  for (const std::string& source : tree.sources) check_source(source);
  if (tree.sources.empty()) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: no {} source in it", quote(path),
                                                  dialect == "cuda" ? ".cu" : ".hip"));
  }
  return tree;
}

// Of a tree: the user's folders within it, all with headers, then the user's elsewhere.
std::vector<std::string> arguments_of(const Tree& tree, const std::string& path,
                                      const std::vector<std::string>& arguments) {
  std::vector<std::string> all, elsewhere;
  for (const std::string& word : arguments) {
    const bool is_folder = word.starts_with("-I");
    (is_folder && !is_below(word.substr(2), path) ? elsewhere : all).push_back(word);
  }
  for (const std::string& folder : tree.header_folders) all.push_back("-I" + folder);
  all.insert(all.end(), elsewhere.begin(), elsewhere.end());
  return all;
}

}  // namespace

std::vector<std::string> arguments_within(std::vector<std::string> arguments,
                                          const std::string& from, const std::string& to) {
  std::error_code failure;
  if (!fs::is_directory(from, failure) || !fs::is_directory(to, failure)) return arguments;
  for (std::string& word : arguments) {
    if (!word.starts_with("-I") || !is_below(word.substr(2), from)) continue;
    const fs::path moved =
        fs::path(to) /
        fs::weakly_canonical(word.substr(2)).lexically_relative(fs::weakly_canonical(from));
    if (fs::is_directory(moved, failure)) word = "-I" + moved.lexically_normal().string();
  }
  return arguments;
}

void check_sources(const std::string& path, const std::string& dialect) {
  checked_tree(path, dialect);
}

std::vector<Program> programs_of(const std::string& path, const std::string& dialect,
                                 const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& words) {
  const std::optional<Tree> found_tree = checked_tree(path, dialect);
  if (!found_tree) return {program_of(source_of(path, dialect, arguments), {}, arguments, words)};
  const Tree& tree = *found_tree;
  const std::vector<std::string> all = arguments_of(tree, path, arguments);
  std::vector<Source> mains, others;
  for (const std::string& found : tree.sources) {
    Source source = source_of(found, dialect, all);
    (source.has_main() ? mains : others).push_back(std::move(source));
  }
  std::vector<Program> programs;
  for (const Source& main : mains) programs.push_back(program_of(main, others, all, words));
  if (mains.empty()) {
    programs.push_back(program_of(others[0], {others.begin() + 1, others.end()}, all, words));
  }
  return programs;
}

ModuleSources module_sources(const Program& program, const std::string& dialect,
                             const std::string& folder) {
  return {.files = program.sources,
          .dialect = dialect,
          .arguments = program.arguments,
          .checked = true,
          .folder = folder};
}

const Program* partner_of(const Program& original, const std::vector<Program>& ports) {
  for (const Program& port : ports) {
    if (port.name == original.name || ports.size() == 1) return &port;
  }
  return nullptr;
}

}  // namespace ambidex
