// SPDX-License-Identifier: Apache-2.0
// What a patch may change: the text between the braces of a kernel and of the device functions that
// it calls. Heads, and everything else of a tree, stay as they are.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ambidex::repair {

/// Texts of files by their names in a tree.
using Texts = std::map<std::string, std::string>;

/// Bytes [begin, end) of a file between a function's braces; its head begins at `head`.
struct Body {
  std::string file;  // name in the tree
  std::string function;
  int64_t head = 0, begin = 0, end = 0;
  int64_t line = 0, end_line = 0;  // of the whole function
  bool operator==(const Body&) const = default;
};

/// All regular files below `folder`.
///   throws Error(bad_input) if one cannot be read
Texts read_texts(const std::string& folder);

/// SHA-256 over all names and texts.
std::string hash_of(const Texts& texts);

/// The bodies of a kernel of `ambidex-clang facts` and of its device functions, by file and place.
/// Functions of the port's own headers and those that a macro writes are left out.
///   folder   of the tree, as the facts name its files
///   throws Error(unsupported) if the kernel's own body cannot be told
std::vector<Body> bodies_of(const nlohmann::json& kernel, const Texts& texts,
                            const std::string& folder);

/// Where a place of the facts is in the tree; "" if outside of it.
std::string name_in(const std::string& folder, const std::string& path);

/// The text with all bodies left out: what a patch must leave as it is.
std::string frame_of(const std::string& text, const std::string& file,
                     const std::vector<Body>& bodies);

/// {"name": sha256 of its frame} of every file.
std::map<std::string, std::string> manifest_of(const Texts& texts, const std::vector<Body>& bodies);

}  // namespace ambidex::repair
