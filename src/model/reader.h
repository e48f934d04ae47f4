// SPDX-License-Identifier: Apache-2.0
// Fills the structs of model.h from a YAML tree: a visitor for visit_fields. An absent key leaves
// the default; sizes and sense are for validate.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ambidex/model_fields.h"
#include "base/yaml_map.h"
#include "model/names.h"
#include "model/tree.h"

namespace ambidex {

/// One map of the tree. Call it with fields, then `finish()`.
class ModelReader {
 public:
  ModelReader(const YamlNode& map, std::string path, const std::string& where)
      : map_(map, std::move(path), where) {}

  template <class T>
  void operator()(Field field, T& value) {
    if (const YamlNode* node = map_.find(field.key)) read(*node, map_.path_of(field.key), value);
  }

  /// throws Error(bad_input) on a key that no field asked for
  void finish() const { map_.finish(); }

 private:
  void read(const YamlNode& node, const std::string& path, std::string& value);
  void read(const YamlNode& node, const std::string& path, bool& value);
  void read(const YamlNode& node, const std::string& path, int64_t& value);
  void read(const YamlNode& node, const std::string& path, double& value);
  void read(const YamlNode& node, const std::string& path, DType& value);

  template <class Enum>
  requires std::is_enum_v<Enum>
  void read(const YamlNode& node, const std::string& path, Enum& value) {
    const std::string_view key = std::string_view(path).substr(path.rfind('.') + 1);
    value = static_cast<Enum>(map_.read_name(node, path, key, names_of(value)));
  }
  template <class T>
  void read(const YamlNode& node, const std::string& path, std::optional<T>& value) {
    value.reset();
    if (node.kind != YamlKind::null) read(node, path, value.emplace());
  }
  template <class T>
  void read(const YamlNode& node, const std::string& path, std::vector<T>& values) {
    map_.expect(node, YamlKind::list, path);
    values.clear();
    for (const YamlNode& child : node.children) {
      const std::string name = entry_name(child, values.size());
      read(child, path + "." + name, values.emplace_back());
    }
  }
  template <class T>
  requires std::is_aggregate_v<T>
  void read(const YamlNode& node, const std::string& path, T& value) {
    ModelReader reader(node, path, map_.where());
    if constexpr (std::is_same_v<T, TableSpec>) reader.know_short_forms();
    visit_fields(reader, value);
    reader.finish();
  }

  /// Keys that are gone by now, but are worth offering to who wrote "lookup".
  void know_short_forms() {
    for (const std::string_view key : {"count", "lookups", "encoding", "field"}) map_.find(key);
  }

  YamlMap map_;
};

}  // namespace ambidex
