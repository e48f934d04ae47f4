// SPDX-License-Identifier: Apache-2.0
// A source and what it needs of its surroundings.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace ambidex {

/// Files that stand to each other as they do below `root`, the deepest folder that holds all.
struct SourceSet {
  std::filesystem::path root;
  std::set<std::filesystem::path> headers;  // without the source itself
};

/// Headers that a source includes, and these in turn, as far as they are beside the file that
/// includes them or in a folder of -I. Told by its text alone: what is behind an #if counts too.
/// Without headers if it includes another source, or if nothing but the root of the file system
/// holds all.
SourceSet included_headers(const std::string& source, const std::vector<std::string>& arguments);

/// The source, with its headers, as files below the folder `to`, which is made. The copy of the
/// source if it has no headers, else the folder.
std::filesystem::path copy_with_headers(const std::string& source, const SourceSet& set,
                                        const std::filesystem::path& to);

}  // namespace ambidex
