// SPDX-License-Identifier: Apache-2.0
#include "port/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "ambidex/base.h"
#include "base/text.h"
#include "port/frontend.h"

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

bool has_main(const std::string& source, const std::string& dialect,
              const std::vector<std::string>& arguments) {
  return ask_frontend("facts", {{"file", source}, {"dialect", dialect}, {"arguments", arguments}})
      .at("main")
      .get<bool>();
}

Program program_of(const std::string& first, const std::vector<std::string>& others,
                   const std::vector<std::string>& arguments, bool main) {
  Program program{.name = fs::path(first).stem().string(),
                  .sources = {first},
                  .arguments = arguments,
                  .has_main = main};
  program.sources.insert(program.sources.end(), others.begin(), others.end());
  return program;
}

}  // namespace

std::vector<Program> programs_of(const std::string& path, const std::string& dialect,
                                 const std::vector<std::string>& arguments) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) {
    throw Error(ErrorKind::not_found, fmt::format("{}: no such file or folder", quote(path)));
  }
  if (!fs::is_directory(status)) {
    return {program_of(path, {}, arguments, has_main(path, dialect, arguments))};
  }
  const Tree tree = tree_of(path, dialect);
  std::vector<std::string> all = arguments;
  for (const std::string& folder : tree.header_folders) all.push_back("-I" + folder);
  std::vector<std::string> mains, others;
  for (const std::string& source : tree.sources) {
    (has_main(source, dialect, all) ? mains : others).push_back(source);
  }
  if (tree.sources.empty()) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: no {} source in it", quote(path),
                                                  dialect == "cuda" ? ".cu" : ".hip"));
  }
  std::vector<Program> programs;
  for (const std::string& main : mains) programs.push_back(program_of(main, others, all, true));
  if (mains.empty()) {
    const std::vector<std::string> rest(others.begin() + 1, others.end());
    programs.push_back(program_of(others[0], rest, all, false));
  }
  return programs;
}

}  // namespace ambidex
