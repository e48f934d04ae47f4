// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/yaml_map.h"
#include "model/tree.h"

namespace ambidex {
namespace {

// A few lines of text may stand for many tables; their sum is bounded, whatever the text.
constexpr int64_t kMaxNodes = 1'000'000;

int64_t num_nodes(const YamlNode& node) {
  int64_t count = 1;
  for (const YamlNode& child : node.children) count += num_nodes(child);
  return count;
}

void spend(int64_t& budget, int64_t count, const YamlNode& node, const std::string& where) {
  budget -= count;
  if (budget < 0) {
    fail_at(node, where, node.key, fmt::format("stands for more than {} values", kMaxNodes));
  }
}

YamlNode scalar_like(const YamlNode& model, std::string key, std::string text) {
  YamlNode node;
  node.kind = YamlKind::scalar;
  node.key = std::move(key);
  node.text = std::move(text);
  node.quoted = true;
  node.line = model.line;
  node.origin = model.origin;
  return node;
}

/// {name: TEXT} for an entry that is only a name.
void expand_name(YamlNode& entry) {
  if (entry.kind != YamlKind::scalar) return;
  YamlNode name = scalar_like(entry, "name", entry.text);
  entry.kind = YamlKind::map;
  entry.text.clear();
  entry.children.push_back(std::move(name));
}

int64_t read_count(const YamlNode& node, const std::string& where, std::string_view path,
                   int64_t most) {
  const auto count =
      node.kind == YamlKind::scalar && !node.quoted ? int64_from_text(node.text) : std::nullopt;
  if (!count || *count < 0 || *count > most) {
    fail_at(node, where, path,
            fmt::format("expected a count from 0 to {}, got {}", most, shown(node)));
  }
  return *count;
}

void remove_child(YamlNode& map, std::string_view key) {
  std::erase_if(map.children, [&](const YamlNode& child) { return child.key == key; });
}

/// {name: t, count: 3} as t1, t2, t3.
void append_repeated(std::vector<YamlNode>& out, YamlNode entry, int64_t count, int64_t& budget,
                     const std::string& where) {
  remove_child(entry, "count");
  spend(budget, count * num_nodes(entry), entry, where);
  const YamlNode* name = child_of(entry, "name");
  const std::string stem = name != nullptr ? name->text : "";
  for (int64_t i = 1; i <= count; ++i) {
    YamlNode& copy = out.emplace_back(entry);
    if (YamlNode* own = child_of(copy, "name")) own->text = fmt::format("{}{}", stem, i);
  }
}

void expand_entries(YamlNode& list, int64_t most, int64_t& budget, const std::string& where) {
  std::vector<YamlNode> out;
  for (YamlNode& entry : list.children) {
    expand_name(entry);
    const YamlNode* count = child_of(entry, "count");
    if (entry.kind != YamlKind::map || count == nullptr) {
      out.push_back(std::move(entry));
      continue;
    }
    const int64_t times = read_count(*count, where, list.key + ".count", most);
    append_repeated(out, std::move(entry), times, budget, where);
  }
  list.children = std::move(out);
}

/// 13 as I1 to I13, the names of Criteo's fields.
void expand_dense_features(YamlNode& dense, int64_t& budget, const std::string& where) {
  if (dense.kind == YamlKind::scalar && int64_from_text(dense.text)) {
    const int64_t count = read_count(dense, where, dense.key, kMaxFeatures);
    dense.kind = YamlKind::list;
    dense.text.clear();
    for (int64_t i = 1; i <= count; ++i) {
      dense.children.push_back(scalar_like(dense, "", fmt::format("I{}", i)));
    }
  }
  if (dense.kind == YamlKind::list) expand_entries(dense, kMaxFeatures, budget, where);
}

void merge_defaults(YamlNode& table, const YamlNode& defaults, int64_t& budget,
                    const std::string& where) {
  if (table.kind != YamlKind::map) return;
  for (const YamlNode& child : defaults.children) {
    if (child_of(table, child.key) != nullptr) continue;
    spend(budget, num_nodes(child), child, where);
    table.children.push_back(child);
  }
}

void expand_features(YamlNode& table) {
  const YamlNode* name = child_of(table, "name");
  if (table.kind != YamlKind::map || name == nullptr) return;
  YamlNode* features = child_of(table, "features");
  const bool is_absent =
      features == nullptr || (features->kind != YamlKind::scalar && features->children.empty());
  if (is_absent) {
    YamlNode list;
    list.kind = YamlKind::list;
    list.key = "features";
    list.line = table.line;
    list.origin = table.origin;
    list.children.push_back(scalar_like(*name, "", name->text));
    remove_child(table, "features");
    table.children.push_back(std::move(list));
    features = &table.children.back();
  }
  for (YamlNode& feature : features->children) expand_name(feature);
}

/// Moves `key` of a table to its features.
void settle(YamlNode& table, const std::string& name, std::string_view key,
            const std::string& where) {
  const YamlNode* given = child_of(table, key);
  YamlNode* features = child_of(table, "features");
  if (given == nullptr || features == nullptr || features->kind != YamlKind::list) return;
  const YamlNode value = *given;
  bool is_used = false;
  for (YamlNode& feature : features->children) {
    if (feature.kind != YamlKind::map || child_of(feature, key) != nullptr) continue;
    feature.children.push_back(value);
    is_used = true;
  }
  if (!is_used) {
    fail_at(value, where, fmt::format("tables.{}.{}", name, key),
            fmt::format("each feature of the table has its own; set tables.{}.features.*.{}", name,
                        key));
  }
  remove_child(table, key);
}

}  // namespace

bool is_plain_name(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), is_plain);
}

std::string entry_name(const YamlNode& entry, size_t index) {
  const YamlNode* name = child_of(entry, "name");
  const bool is_named =
      name != nullptr && name->kind == YamlKind::scalar && is_plain_name(name->text);
  return is_named ? name->text : std::to_string(index);
}

YamlNode* find_entry(YamlNode& list, std::string_view name) {
  for (size_t i = 0; i < list.children.size(); ++i) {
    if (entry_name(list.children[i], i) == name) return &list.children[i];
  }
  const std::optional<int64_t> index = int64_from_text(name);
  if (!index || *index < 0 || *index >= std::ssize(list.children)) return nullptr;
  return &list.children[static_cast<size_t>(*index)];
}

void expand_short_forms(YamlNode& root, const std::string& where) {
  int64_t budget = kMaxNodes;
  if (YamlNode* dense = child_of(root, "dense_features")) {
    expand_dense_features(*dense, budget, where);
  }
  YamlNode* tables = child_of(root, "tables");
  const YamlNode* defaults = child_of(root, "table_defaults");
  if (tables == nullptr || tables->kind != YamlKind::list) return;
  expand_entries(*tables, kMaxTables, budget, where);
  for (YamlNode& table : tables->children) {
    if (defaults != nullptr) {
      if (defaults->kind != YamlKind::map) {
        fail_at(*defaults, where, "table_defaults",
                fmt::format("expected a map of keys, got {}", shown(*defaults)));
      }
      merge_defaults(table, *defaults, budget, where);
    }
    expand_features(table);
  }
  remove_child(root, "table_defaults");
}

void settle_feature_defaults(YamlNode& root, const std::string& where) {
  YamlNode* tables = child_of(root, "tables");
  if (tables == nullptr || tables->kind != YamlKind::list) return;
  for (size_t i = 0; i < tables->children.size(); ++i) {
    for (const std::string_view key : {"lookups", "encoding", "field"}) {
      settle(tables->children[i], entry_name(tables->children[i], i), key, where);
    }
  }
}

}  // namespace ambidex
