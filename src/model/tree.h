// SPDX-License-Identifier: Apache-2.0
// What happens to the tree of a model file before its structs are read: short forms are written
// out, overrides are applied.
#pragma once

#include <string>
#include <string_view>

#include "base/yaml.h"

namespace ambidex {

inline constexpr int64_t kMaxTables = 4096;
inline constexpr int64_t kMaxFeatures = 16384;  // dense, and sparse over all tables

/// At most 64 of A-Z, a-z, 0-9, _ and -: fit for a path, whatever a file calls itself.
bool is_plain_name(std::string_view text);

/// How an entry of a list is called in a path: by its `name`, else by its index.
std::string entry_name(const YamlNode& entry, size_t index);

/// Entry of a list by `name` or index; null if there is none.
YamlNode* find_entry(YamlNode& list, std::string_view name);

/// Writes out, in place: dense_features as a number or as names, `count` of an entry,
/// table_defaults, features as names or absent. Does nothing to what is written out already.
///   throws Error(bad_input) on a count that is no count, and on trees that grow too large
void expand_short_forms(YamlNode& root, const std::string& where);

/// Moves `lookups`, `encoding` and `field` of a table to those of its features that have none.
///   throws Error(bad_input) if all have their own
void settle_feature_defaults(YamlNode& root, const std::string& where);

/// "path.to.key=value" or "path.to.key<=value". New nodes carry the override as their origin.
///   throws Error(bad_input) that begins with "--set " and the override
void apply_override(YamlNode& root, const std::string& override);

}  // namespace ambidex
