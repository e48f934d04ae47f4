// SPDX-License-Identifier: Apache-2.0
#include "devices/reader.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/text.h"

namespace ambidex {

std::string_view unit_of(std::string_view key) {
  static constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"bytes_per_second", "bytes per second"},
      {"bytes_per_second_per_device", "bytes per second"},
      {"bytes_per_second_per_pair", "bytes per second"},
      {"flop_per_second", "flop per second"},
      {"bytes_per_clock", "bytes per clock"},
      {"bytes", "bytes"},
      {"bytes_per_unit", "bytes"},
      {"bytes_per_group", "bytes"},
      {"bytes_per_lane", "bytes"},
      {"hz", "hertz"},
      {"seconds", "seconds"},
      {"watts", "watts"},
  };
  for (const auto& [suffix, unit] : kUnits) {
    if (key == suffix || (key.ends_with(suffix) && key[key.size() - suffix.size() - 1] == '_')) {
      return unit;
    }
  }
  return "";
}

const YamlNode* MapReader::find(Field field, YamlKind kind) {
  const YamlNode* node = map_.find(field.key);
  if (node != nullptr) map_.expect(*node, kind, map_.path_of(field.key));
  return node;
}

double MapReader::read_number(const YamlNode& node, Field field, const std::string& path) const {
  const std::optional<double> number = number_of(node);
  if (!number || (*number <= 0 && !is_fact(field, *number))) {
    const std::string_view unit = unit_of(field.key);
    map_.fail(node, path,
              fmt::format("expected a number {} 0, got {}{}{}", field.may_be_zero ? ">=" : ">",
                          shown(node), unit.empty() ? "" : "; write it in ", unit));
  }
  if (!is_fact(field, *number)) {
    map_.fail(node, path,
              fmt::format("expected a number from {:g} to {:g}, got {}", kMinFact, kMaxFact,
                          shown(node)));
  }
  return *number;
}

int64_t MapReader::read_count(const YamlNode& node, Field field, const std::string& path) const {
  const double number = read_number(node, field, path);
  if (number > static_cast<double>(kMaxCount) || number != std::floor(number)) {
    map_.fail(node, path, fmt::format("expected a whole number, got {}", shown(node)));
  }
  return static_cast<int64_t>(number);
}

template <class Enum, size_t kCount>
Enum MapReader::read_name(Field field, const Enum (&values)[kCount]) {
  std::vector<std::string> names;
  for (const Enum value : values) names.emplace_back(name_of(value));
  const YamlNode& node = map_.require(field.key);
  return values[map_.read_name(node, map_.path_of(field.key), field.key, names)];
}

void MapReader::operator()(Field field, std::string& value) {
  value = map_.read_text(map_.require(field.key), map_.path_of(field.key));
}

void MapReader::operator()(Field field, bool& value) {
  const YamlNode* node = map_.find(field.key);
  if (node != nullptr) value = map_.read_flag(*node, map_.path_of(field.key));
}

void MapReader::operator()(Field field, int64_t& value) {
  value = read_count(map_.require(field.key), field, map_.path_of(field.key));
}

void MapReader::operator()(Field field, double& value) {
  value = read_number(map_.require(field.key), field, map_.path_of(field.key));
}

void MapReader::operator()(Field field, DType& value) {
  value = map_.read_dtype(map_.require(field.key), map_.path_of(field.key));
}

void MapReader::operator()(Field field, Vendor& value) {
  value = read_name(field, {Vendor::nvidia, Vendor::amd, Vendor::mtia, Vendor::cpu});
}

void MapReader::operator()(Field field, ScaleUpKind& value) {
  value = read_name(field, {ScaleUpKind::nvlink_switch, ScaleUpKind::xgmi_mesh});
}

void MapReader::operator()(Field field, std::optional<int64_t>& value) {
  const YamlNode* node = map_.find(field.key);
  if (node != nullptr) value = read_count(*node, field, map_.path_of(field.key));
}

void MapReader::operator()(Field field, std::optional<double>& value) {
  const YamlNode* node = map_.find(field.key);
  if (node != nullptr) value = read_number(*node, field, map_.path_of(field.key));
}

void MapReader::operator()(Field field, std::map<DType, double>& value) {
  const YamlNode* node = find(field, YamlKind::map);
  if (node == nullptr) return;
  for (const YamlNode& child : node->children) {
    const std::string path = fmt::format("{}.{}", map_.path_of(field.key), child.key);
    DType dtype{};
    try {
      dtype = dtype_from_name(child.key);
    } catch (const Error& error) {
      map_.fail(child, map_.path_of(field.key), error.what());
    }
    if (!value.emplace(dtype, read_number(child, field, path)).second) {
      map_.fail(child, path, fmt::format("the rate of {} is given twice", name_of(dtype)));
    }
  }
}

void MapReader::operator()(Field field, std::map<std::string, double>& value) {
  const YamlNode* node = find(field, YamlKind::map);
  if (node == nullptr) return;
  for (const YamlNode& child : node->children) {
    const std::optional<double> number = number_of(child);
    const std::string path = fmt::format("{}.{}", map_.path_of(field.key), child.key);
    if (!number) map_.fail(child, path, fmt::format("expected a number, got {}", shown(child)));
    if (!is_effective(field, *number)) {
      const std::string_view bounds =
          field.key == "sigma" ? "from 0.001 to 3" : "0 or from 1e-18 to 1e18";
      map_.fail(child, path, fmt::format("expected a number {}, got {}", bounds, shown(child)));
    }
    value[child.key] = *number;
  }
}

void MapReader::operator()(Field field, std::map<std::string, std::string>& value) {
  const YamlNode* node = find(field, YamlKind::map);
  if (node == nullptr) return;
  for (const YamlNode& child : node->children) {
    value[child.key] =
        map_.read_text(child, fmt::format("{}.{}", map_.path_of(field.key), child.key));
  }
}

}  // namespace ambidex
