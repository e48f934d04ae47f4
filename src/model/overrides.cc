// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/yaml_map.h"
#include "model/tree.h"

namespace ambidex {
namespace {

/// `text` on one line, as messages show it.
std::string label_of(std::string_view text) {
  const std::string quoted = quote(text);
  return "--set " + quoted.substr(1, quoted.size() - 2);
}

void set_origin(YamlNode& node, const std::string& origin) {
  node.origin = origin;
  for (YamlNode& child : node.children) set_origin(child, origin);
}

struct Override {
  std::string label;
  std::vector<std::string> path;
  YamlNode value;
  bool is_cap = false;  // "<=": lowers what is greater

  [[noreturn]] void fail(std::string_view what) const {
    throw Error(ErrorKind::bad_input, fmt::format("{}: {}", label, what));
  }
  std::string path_up_to(size_t depth) const {
    std::string out;
    for (size_t i = 0; i < depth; ++i) out += (i > 0 ? "." : "") + path[i];
    return out;
  }
};

Override read_override(const std::string& text) {
  Override out{.label = label_of(text), .path = {}, .value = {}};
  const size_t equals = text.find('=');
  if (equals == std::string::npos) out.fail("expected path.to.key=value");
  out.is_cap = equals > 0 && text[equals - 1] == '<';
  const std::string path = text.substr(0, out.is_cap ? equals - 1 : equals);
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    out.path.push_back(path.substr(begin, end - begin));
    if (out.path.back() != "*" && !is_plain_name(out.path.back())) {
      out.fail(fmt::format("expected path.to.key=value, got key {}", quote(out.path.back())));
    }
    begin = end + 1;
  }
  const std::string value = text.substr(equals + 1);
  if (value.find_first_not_of(' ') == std::string::npos) out.fail("no value after \"=\"");
  out.value = parse_yaml(value, out.label);
  set_origin(out.value, out.label);
  return out;
}

void replace(YamlNode& node, const Override& override) {
  const std::optional<double> most = number_of(override.value);
  const std::optional<double> now = number_of(node);
  if (override.is_cap) {
    if (!most) override.fail("\"<=\" needs a number");
    if (!now) override.fail(fmt::format("{} is {}, which has no limit", node.key, shown(node)));
    if (*now <= *most) return;
  }
  std::string key = std::move(node.key);
  const int line = node.line;
  node = override.value;
  node.key = std::move(key);
  node.line = line;
}

YamlNode& add_child(YamlNode& map, const std::string& key, const Override& override) {
  if (override.is_cap) override.fail(fmt::format("no {} to limit", quote(key)));
  YamlNode& child = map.children.emplace_back();
  child.key = key;
  child.line = map.line;
  child.origin = override.label;
  return child;
}

void apply(YamlNode& node, const Override& override, size_t depth);

void apply_to_list(YamlNode& list, const Override& override, size_t depth) {
  YamlNode* entry = find_entry(list, override.path[depth]);
  if (entry == nullptr) {
    std::vector<std::string> names;
    for (size_t i = 0; i < list.children.size(); ++i) {
      names.push_back(entry_name(list.children[i], i));
    }
    override.fail(
        unknown_name("entry of " + override.path_up_to(depth), override.path[depth], names));
  }
  apply(*entry, override, depth + 1);
}

void apply(YamlNode& node, const Override& override, size_t depth) {
  if (depth == override.path.size()) return replace(node, override);
  const std::string& key = override.path[depth];
  if (node.kind == YamlKind::null) node.kind = YamlKind::map;
  if (node.kind == YamlKind::scalar) {
    override.fail(
        fmt::format("{} is {}, which has no keys", override.path_up_to(depth), shown(node)));
  }
  if (key == "*") {
    if (node.children.empty()) {
      override.fail(fmt::format("{} has no entries", override.path_up_to(depth)));
    }
    for (YamlNode& child : node.children) apply(child, override, depth + 1);
    return;
  }
  if (node.kind == YamlKind::list) return apply_to_list(node, override, depth);
  YamlNode* child = child_of(node, key);
  apply(child != nullptr ? *child : add_child(node, key, override), override, depth + 1);
}

}  // namespace

void apply_override(YamlNode& root, const std::string& text) {
  const Override override = read_override(text);
  if (override.path.front() == "table_defaults") {
    override.fail("table_defaults are merged into the tables before; set tables.*.KEY");
  }
  apply(root, override, 0);
}

}  // namespace ambidex
