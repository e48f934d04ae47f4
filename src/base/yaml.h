// SPDX-License-Identifier: Apache-2.0
// YAML text to a plain tree with line numbers. Only the part of YAML that data files need: one
// document of maps, lists and scalars; anchors, aliases, tags and repeated keys are refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ambidex {

enum class YamlKind : uint8_t { null, scalar, list, map };

struct YamlNode {
  YamlKind kind = YamlKind::null;
  std::string key;      // set in the children of a map
  std::string text;     // of a scalar
  bool quoted = false;  // written with quotes: a string even if it looks like a number
  int line = 0;         // from 1; of the key in a map
  std::string origin;   // where it comes from if not from the file: "--set batch=1"
  std::vector<YamlNode> children;
};

inline constexpr int64_t kMaxYamlBytes = 1 << 20;
inline constexpr int kMaxYamlDepth = 16;

/// Root of the document. `where` is the file name that messages carry.
///   throws Error(bad_input) `where:line: ...` on malformed or oversized text
YamlNode parse_yaml(std::string_view text, const std::string& where);

/// `where:line`, or the origin of a node that is not from the file.
std::string place_of(const YamlNode& node, const std::string& where);

/// How a node is shown in "got ...": a scalar in quotes, "a map", "a list" or "nothing".
std::string shown(const YamlNode& node);

}  // namespace ambidex
