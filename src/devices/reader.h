// SPDX-License-Identifier: Apache-2.0
// Fills the structs of devices.h from a YAML tree: a visitor for visit_fields.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ambidex/device_fields.h"
#include "base/yaml_map.h"

namespace ambidex {

/// Smallest and largest magnitude of a fact: what is outside is a slip of units, and arithmetic on
/// what is inside stays finite.
inline constexpr double kMinFact = 1e-15;
inline constexpr double kMaxFact = 1e24;

/// False for NaN, too.
inline bool is_fact(Field field, double value) {
  return (field.may_be_zero && value == 0) || (value >= kMinFact && value <= kMaxFact);
}

/// Whether a calibration may hold it: beyond, fourth powers of a formula leave the range of double.
inline bool is_effective(Field field, double value) {
  if (field.key == "sigma") return value >= 0.001 && value <= 3;
  return value == 0 || (value >= 1e-18 && value <= 1e18);
}

/// "bytes per second" for a key that ends in _bytes_per_second; empty if the key names no unit.
std::string_view unit_of(std::string_view key);

/// One map of the tree. Call it with fields, then `finish()`.
class MapReader {
 public:
  /// `path` is "" at the root, else "spec".
  MapReader(const YamlNode& map, std::string path, const std::string& where)
      : map_(map, std::move(path), where) {}

  void operator()(Field field, std::string& value);
  void operator()(Field field, bool& value);
  void operator()(Field field, int64_t& value);
  void operator()(Field field, double& value);
  void operator()(Field field, DType& value);
  void operator()(Field field, Vendor& value);
  void operator()(Field field, ScaleUpKind& value);
  void operator()(Field field, std::optional<int64_t>& value);
  void operator()(Field field, std::optional<double>& value);
  void operator()(Field field, std::map<DType, double>& value);
  void operator()(Field field, std::map<std::string, double>& value);
  void operator()(Field field, std::map<std::string, std::string>& value);

  template <class T>
  void operator()(Field field, T& value) {
    if (const YamlNode* node = map_.find(field.key)) read(*node, map_.path_of(field.key), value);
  }
  template <class T>
  void operator()(Field field, std::optional<T>& value) {
    const YamlNode* node = map_.find(field.key);
    if (node != nullptr) read(*node, map_.path_of(field.key), value.emplace());
  }
  template <class T>
  void operator()(Field field, std::vector<T>& value) {
    const YamlNode* node = find(field, YamlKind::list);
    if (node == nullptr) return;
    for (const YamlNode& child : node->children) {
      read(child, map_.path_of(field.key), value.emplace_back());
    }
  }
  template <class T>
  void operator()(Field field, std::map<std::string, T>& value) {
    const YamlNode* node = find(field, YamlKind::map);
    if (node == nullptr) return;
    for (const YamlNode& child : node->children) {
      read(child, map_.path_of(field.key) + "." + child.key, value[child.key]);
    }
  }

  /// throws Error(bad_input) on a key that no field asked for
  void finish() const { map_.finish(); }

 private:
  template <class T>
  void read(const YamlNode& node, const std::string& path, T& value) {
    MapReader reader(node, path, map_.where());
    visit_fields(reader, value);
    reader.finish();
  }

  /// Null if absent, else of that kind.
  const YamlNode* find(Field field, YamlKind kind);
  double read_number(const YamlNode& node, Field field, const std::string& path) const;
  int64_t read_count(const YamlNode& node, Field field, const std::string& path) const;
  template <class Enum, size_t kCount>
  Enum read_name(Field field, const Enum (&values)[kCount]);

  YamlMap map_;
};

}  // namespace ambidex
