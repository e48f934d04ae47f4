// SPDX-License-Identifier: Apache-2.0
// One map of a YAML tree, read key by key: what the readers of data files have in common. A reader
// is a visitor for visit_fields that holds one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ambidex/base.h"
#include "base/yaml.h"

namespace ambidex {

inline constexpr int64_t kMaxCount = int64_t{1} << 53;  // doubles hold every integer up to here

/// throws Error(bad_input) `place: path: what`
[[noreturn]] void fail_at(const YamlNode& node, const std::string& where, std::string_view path,
                          std::string_view what);

/// Child of that key or name; null if there is none.
const YamlNode* child_of(const YamlNode& map, std::string_view key);
YamlNode* child_of(YamlNode& map, std::string_view key);

class YamlMap {
 public:
  /// `path` is "" at the root, else "spec". Both arguments outlive the object.
  ///   throws Error(bad_input) unless `node` is a map
  YamlMap(const YamlNode& node, std::string path, const std::string& where);

  /// Null if the key is absent. The key counts as known from now on.
  const YamlNode* find(std::string_view key);
  /// throws Error(bad_input) if it is absent
  const YamlNode& require(std::string_view key);
  /// throws Error(bad_input) on a key that nobody asked for, with the nearest known ones
  void finish() const;

  std::string path_of(std::string_view key) const;
  const std::string& where() const { return where_; }

  // Values. Each throws Error(bad_input) on anything else.
  void expect(const YamlNode& node, YamlKind kind, const std::string& path) const;
  std::string read_text(const YamlNode& node, const std::string& path) const;
  bool read_flag(const YamlNode& node, const std::string& path) const;
  DType read_dtype(const YamlNode& node, const std::string& path) const;
  /// Index of the text among `names`; `what` is the word for it in a message.
  size_t read_name(const YamlNode& node, const std::string& path, std::string_view what,
                   std::span<const std::string> names) const;
  [[noreturn]] void fail(const YamlNode& node, std::string_view path, std::string_view what) const;

 private:
  const YamlNode& node_;
  std::string path_;
  const std::string& where_;
  std::vector<std::string> known_;
};

/// Nothing unless it is a number that is not in quotes.
std::optional<double> number_of(const YamlNode& node);

}  // namespace ambidex
