// SPDX-License-Identifier: Apache-2.0
#include "port/included_headers.h"

#include <algorithm>
#include <regex>

#include "base/files.h"
#include "port/code_words.h"
#include "port/source_file.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

bool is_source(const fs::path& path) {
  static const std::set<std::string> kSources{".cu", ".cpp", ".cc", ".cxx", ".c"};
  return kSources.contains(path.extension().string());
}

// As a header or a source is called: what is included of anything else stays where it is.
bool is_named_so(const fs::path& path) {
  static const std::set<std::string> kHeaders{".h",   ".hpp", ".cuh", ".hh",  ".hxx",
                                              ".inl", ".inc", ".def", ".ipp", ".tpp"};
  return is_source(path) || kHeaders.contains(path.extension().string());
}

// Where an #include leads, of the user's folders; empty if it is none of theirs. Links of a tree
// that somebody else has made may lead anywhere, as may names.
fs::path found(const std::string& name, bool quoted, const fs::path& from,
               const std::vector<fs::path>& folders) {
  std::error_code failure;
  std::vector<fs::path> places = folders;
  if (quoted) places.insert(places.begin(), from.parent_path());
  for (const fs::path& place : places) {
    const fs::path path = (place / name).lexically_normal();
    if (!fs::is_regular_file(path, failure)) continue;
    const bool is_theirs = is_named_so(fs::canonical(path, failure)) ||
                           std::any_of(places.begin(), places.end(), [&](const fs::path& folder) {
                             return is_below(path, folder);
                           });
    return is_theirs ? path : fs::path();
  }
  return {};
}

void add_headers(const fs::path& file, const std::vector<fs::path>& folders,
                 std::set<fs::path>& headers) {
  static const std::regex kInclude(
      R"re((?:^|\n)[ \t]{0,64}#[ \t]{0,64}include[ \t]{0,64}(["<])([^">\n]{1,400})[">])re");
  const std::string text = code::without_comments(read_file(file.string(), kMaxSourceBytes));
  for (std::sregex_iterator at(text.begin(), text.end(), kInclude), end; at != end; ++at) {
    const fs::path path = found(at->str(2), at->str(1) == "\"", file, folders);
    if (!path.empty() && headers.insert(path).second) add_headers(path, folders, headers);
  }
}

fs::path common_folder(const fs::path& a, const fs::path& b) {
  fs::path common;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end() && *x == *y; ++x, ++y) {
    common /= *x;
  }
  return common;
}

}  // namespace

SourceSet included_headers(const std::string& source, const std::vector<std::string>& arguments) {
  const fs::path file = fs::absolute(source).lexically_normal();
  std::vector<fs::path> folders;
  for (const std::string& word : arguments) {
    if (word.starts_with("-I")) folders.push_back(fs::absolute(word.substr(2)).lexically_normal());
  }
  SourceSet set{.root = file.parent_path(), .headers = {}};
  add_headers(file, folders, set.headers);
  set.headers.erase(file);
  for (const fs::path& header : set.headers) {
    set.root = common_folder(set.root, header.parent_path());
  }
  const bool joins = std::any_of(set.headers.begin(), set.headers.end(), is_source);
  if (joins || !set.root.has_relative_path()) return {.root = file.parent_path(), .headers = {}};
  return set;
}

fs::path copy_with_headers(const std::string& source, const SourceSet& set, const fs::path& to) {
  const fs::path file = fs::absolute(source).lexically_normal();
  const auto copy = [&](const fs::path& path) {
    const fs::path target = to / path.lexically_relative(set.root);
    fs::create_directories(target.parent_path());
    copy_sources(path.string(), target.string());
    return target;
  };
  const fs::path target = copy(file);
  for (const fs::path& header : set.headers) copy(header);
  return set.headers.empty() ? target : to;
}

}  // namespace ambidex
