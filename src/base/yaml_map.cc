// SPDX-License-Identifier: Apache-2.0
#include "base/yaml_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ambidex {

void fail_at(const YamlNode& node, const std::string& where, std::string_view path,
             std::string_view what) {
  const std::string_view separator = path.empty() ? "" : ": ";
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: {}{}{}", place_of(node, where), path, separator, what));
}

const YamlNode* child_of(const YamlNode& map, std::string_view key) {
  const auto matches = [&](const YamlNode& child) { return child.key == key; };
  const auto child = std::find_if(map.children.begin(), map.children.end(), matches);
  return child == map.children.end() ? nullptr : &*child;
}

YamlNode* child_of(YamlNode& map, std::string_view key) {
  return const_cast<YamlNode*>(child_of(std::as_const(map), key));
}

std::optional<double> number_of(const YamlNode& node) {
  if (node.kind != YamlKind::scalar || node.quoted) return std::nullopt;
  return double_from_text(node.text);
}

YamlMap::YamlMap(const YamlNode& node, std::string path, const std::string& where)
    : node_(node), path_(std::move(path)), where_(where) {
  expect(node, YamlKind::map, path_);
}

std::string YamlMap::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void YamlMap::fail(const YamlNode& node, std::string_view path, std::string_view what) const {
  fail_at(node, where_, path, what);
}

void YamlMap::expect(const YamlNode& node, YamlKind kind, const std::string& path) const {
  if (node.kind == kind) return;
  const std::string_view wanted = kind == YamlKind::map ? "a map of keys" : "a list";
  fail(node, path, fmt::format("expected {}, got {}", wanted, shown(node)));
}

const YamlNode* YamlMap::find(std::string_view key) {
  known_.emplace_back(key);
  return child_of(node_, key);
}

const YamlNode& YamlMap::require(std::string_view key) {
  const YamlNode* node = find(key);
  if (node == nullptr) fail(node_, path_of(key), "missing; this key is required");
  return *node;
}

void YamlMap::finish() const {
  for (const YamlNode& child : node_.children) {
    if (std::find(known_.begin(), known_.end(), child.key) != known_.end()) continue;
    fail(child, path_, unknown_name("key", child.key, known_));
  }
}

std::string YamlMap::read_text(const YamlNode& node, const std::string& path) const {
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

bool YamlMap::read_flag(const YamlNode& node, const std::string& path) const {
  if (node.kind != YamlKind::scalar || (node.text != "true" && node.text != "false")) {
    fail(node, path, fmt::format("expected true or false, got {}", shown(node)));
  }
  return node.text == "true";
}

DType YamlMap::read_dtype(const YamlNode& node, const std::string& path) const {
  const std::string text = read_text(node, path);
  try {
    return dtype_from_name(text);
  } catch (const Error& error) {
    fail(node, path, error.what());
  }
}

size_t YamlMap::read_name(const YamlNode& node, const std::string& path, std::string_view what,
                          std::span<const std::string> names) const {
  const std::string text = read_text(node, path);
  const auto name = std::find(names.begin(), names.end(), text);
  if (name == names.end()) fail(node, path, unknown_name(what, text, names));
  return static_cast<size_t>(name - names.begin());
}

}  // namespace ambidex
