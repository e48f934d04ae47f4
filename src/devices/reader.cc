// SPDX-License-Identifier: Apache-2.0
#include "devices/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace ambidex {
namespace {

constexpr int64_t kMaxCount = int64_t{1} << 53;  // doubles hold every integer up to here

std::optional<double> number_of(const YamlNode& node) {
  if (node.kind != YamlKind::scalar || node.quoted) return std::nullopt;
  return double_from_text(node.text);
}

}  // namespace

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

MapReader::MapReader(const YamlNode& map, std::string path, const std::string& where)
    : map_(map), path_(std::move(path)), where_(where) {
  expect(map, YamlKind::map, path_);
}

std::string MapReader::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void MapReader::fail(const YamlNode& node, std::string_view path, std::string_view what) const {
  const std::string_view separator = path.empty() ? "" : ": ";
  throw Error(ErrorKind::bad_input,
              fmt::format("{}:{}: {}{}{}", where_, node.line, path, separator, what));
}

void MapReader::expect(const YamlNode& node, YamlKind kind, const std::string& path) const {
  if (node.kind == kind) return;
  const std::string_view wanted = kind == YamlKind::map ? "a map of keys" : "a list";
  fail(node, path, fmt::format("expected {}, got {}", wanted, shown(node)));
}

const YamlNode* MapReader::find(Field field) {
  known_.emplace_back(field.key);
  const auto matches = [&](const YamlNode& child) { return child.key == field.key; };
  const auto child = std::find_if(map_.children.begin(), map_.children.end(), matches);
  return child == map_.children.end() ? nullptr : &*child;
}

const YamlNode& MapReader::find_required(Field field) {
  const YamlNode* node = find(field);
  if (node == nullptr) fail(map_, path_of(field.key), "missing; this key is required");
  return *node;
}

void MapReader::finish() const {
  for (const YamlNode& child : map_.children) {
    if (std::find(known_.begin(), known_.end(), child.key) != known_.end()) continue;
    fail(child, path_, unknown_name("key", child.key, known_));
  }
}

std::string MapReader::read_text(const YamlNode& node, const std::string& path) const {
  if (node.kind != YamlKind::scalar || node.text.empty()) {
    fail(node, path, fmt::format("expected text, got {}", shown(node)));
  }
  // It is printed as it stands.
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(node.text.begin(), node.text.end(), is_control)) {
    fail(node, path, fmt::format("expected text without control characters, got {}", shown(node)));
  }
  return node.text;
}

double MapReader::read_number(const YamlNode& node, Field field, const std::string& path) const {
  const std::optional<double> number = number_of(node);
  if (!number || (*number <= 0 && !is_fact(field, *number))) {
    const std::string_view unit = unit_of(field.key);
    fail(node, path,
         fmt::format("expected a number {} 0, got {}{}{}", field.may_be_zero ? ">=" : ">",
                     shown(node), unit.empty() ? "" : "; write it in ", unit));
  }
  if (!is_fact(field, *number)) {
    fail(node, path,
         fmt::format("expected a number from {:g} to {:g}, got {}", kMinFact, kMaxFact,
                     shown(node)));
  }
  return *number;
}

int64_t MapReader::read_count(const YamlNode& node, Field field, const std::string& path) const {
  const double number = read_number(node, field, path);
  if (number > static_cast<double>(kMaxCount) || number != std::floor(number)) {
    fail(node, path, fmt::format("expected a whole number, got {}", shown(node)));
  }
  return static_cast<int64_t>(number);
}

template <class Enum, size_t kCount>
Enum MapReader::read_name(Field field, const Enum (&values)[kCount]) {
  const YamlNode& node = find_required(field);
  const std::string text = read_text(node, path_of(field.key));
  std::vector<std::string> names;
  for (const Enum value : values) {
    if (name_of(value) == text) return value;
    names.emplace_back(name_of(value));
  }
  fail(node, path_of(field.key), unknown_name(field.key, text, names));
}

void MapReader::operator()(Field field, std::string& value) {
  value = read_text(find_required(field), path_of(field.key));
}

void MapReader::operator()(Field field, bool& value) {
  const YamlNode* node = find(field);
  if (node == nullptr) return;
  if (node->kind != YamlKind::scalar || (node->text != "true" && node->text != "false")) {
    fail(*node, path_of(field.key), fmt::format("expected true or false, got {}", shown(*node)));
  }
  value = node->text == "true";
}

void MapReader::operator()(Field field, int64_t& value) {
  value = read_count(find_required(field), field, path_of(field.key));
}

void MapReader::operator()(Field field, double& value) {
  value = read_number(find_required(field), field, path_of(field.key));
}

void MapReader::operator()(Field field, DType& value) {
  const YamlNode& node = find_required(field);
  const std::string text = read_text(node, path_of(field.key));
  try {
    value = dtype_from_name(text);
  } catch (const Error& error) {
    fail(node, path_of(field.key), error.what());
  }
}

void MapReader::operator()(Field field, Vendor& value) {
  value = read_name(field, {Vendor::nvidia, Vendor::amd, Vendor::mtia, Vendor::cpu});
}

void MapReader::operator()(Field field, ScaleUpKind& value) {
  value = read_name(field, {ScaleUpKind::nvlink_switch, ScaleUpKind::xgmi_mesh});
}

void MapReader::operator()(Field field, std::optional<int64_t>& value) {
  if (const YamlNode* node = find(field)) value = read_count(*node, field, path_of(field.key));
}

void MapReader::operator()(Field field, std::optional<double>& value) {
  if (const YamlNode* node = find(field)) value = read_number(*node, field, path_of(field.key));
}

void MapReader::operator()(Field field, std::map<DType, double>& value) {
  const YamlNode* node = find(field);
  if (node == nullptr) return;
  expect(*node, YamlKind::map, path_of(field.key));
  for (const YamlNode& child : node->children) {
    const std::string path = fmt::format("{}.{}", path_of(field.key), child.key);
    DType dtype{};
    try {
      dtype = dtype_from_name(child.key);
    } catch (const Error& error) {
      fail(child, path_of(field.key), error.what());
    }
    if (!value.emplace(dtype, read_number(child, field, path)).second) {
      fail(child, path, fmt::format("the rate of {} is given twice", name_of(dtype)));
    }
  }
}

void MapReader::operator()(Field field, std::map<std::string, double>& value) {
  const YamlNode* node = find(field);
  if (node == nullptr) return;
  expect(*node, YamlKind::map, path_of(field.key));
  for (const YamlNode& child : node->children) {
    const std::optional<double> number = number_of(child);
    const std::string path = fmt::format("{}.{}", path_of(field.key), child.key);
    if (!number) fail(child, path, fmt::format("expected a number, got {}", shown(child)));
    if (!is_effective(field, *number)) {
      const std::string_view bounds =
          field.key == "sigma" ? "from 0.001 to 3" : "0 or from 1e-18 to 1e18";
      fail(child, path, fmt::format("expected a number {}, got {}", bounds, shown(child)));
    }
    value[child.key] = *number;
  }
}

void MapReader::operator()(Field field, std::map<std::string, std::string>& value) {
  const YamlNode* node = find(field);
  if (node == nullptr) return;
  expect(*node, YamlKind::map, path_of(field.key));
  for (const YamlNode& child : node->children) {
    value[child.key] = read_text(child, fmt::format("{}.{}", path_of(field.key), child.key));
  }
}

}  // namespace ambidex
