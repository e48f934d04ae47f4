// SPDX-License-Identifier: Apache-2.0
#include "port/api_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/yaml_map.h"

namespace ambidex {
namespace {

constexpr std::array<std::string_view, 8> kKinds{"function",  "type",   "enumerator", "macro",
                                                 "namespace", "header", "library",    "dropped"};

struct Section {
  std::string_view key;
  ApiKind kind;
  bool refused;
};
constexpr std::array<Section, 10> kSections{{{"functions", ApiKind::function, false},
                                             {"types", ApiKind::type, false},
                                             {"enumerators", ApiKind::enumerator, false},
                                             {"macros", ApiKind::macro, false},
                                             {"namespaces", ApiKind::name_space, false},
                                             {"headers", ApiKind::header, false},
                                             {"libraries", ApiKind::library, false},
                                             {"dropped", ApiKind::dropped, false},
                                             {"refused", ApiKind::function, true},
                                             {"refused_headers", ApiKind::header, true}}};

bool is_version(std::string_view text) {
  const auto digits = [](std::string_view part) {
    return !part.empty() &&
           std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const size_t dot = text.find('.');
  return dot != std::string_view::npos && digits(text.substr(0, dot)) &&
         digits(text.substr(dot + 1));
}

std::string optional_text(YamlMap& map, std::string_view key) {
  const YamlNode* node = map.find(key);
  return node == nullptr ? "" : map.read_text(*node, map.path_of(key));
}

std::string version_of(YamlMap& map, std::string_view key, const std::string& otherwise) {
  const YamlNode* node = map.find(key);
  if (node == nullptr) return otherwise;
  std::string text = map.read_text(*node, map.path_of(key));
  if (!is_version(text)) {
    map.fail(*node, map.path_of(key),
             fmt::format("expected a ROCm version like \"6.2\", got {}", shown(*node)));
  }
  return text;
}

// What follows a name: the name in HIP alone, or a map.
void read_entry(const YamlNode& node, const std::string& path, const std::string& where,
                bool refused, ApiEntry& entry) {
  const bool dropped = entry.kind == ApiKind::dropped;
  entry.rule = refused ? "api.refuse" : dropped ? "api.drop" : "api.rename";
  if (!refused && !dropped && node.kind == YamlKind::scalar) {
    entry.hip = node.text;
    return;
  }
  YamlMap map(node, path, where);
  if (refused) {
    entry.note = map.read_text(map.require("reason"), map.path_of("reason"));
  } else if (dropped) {
    entry.note = map.read_text(map.require("note"), map.path_of("note"));
  } else {
    entry.hip = map.read_text(map.require("hip"), map.path_of("hip"));
    entry.since = version_of(map, "since", entry.since);
    entry.until = version_of(map, "until", "");
    entry.note = optional_text(map, "note");
    if (std::string rule = optional_text(map, "rule"); !rule.empty()) entry.rule = rule;
  }
  entry.hazard = optional_text(map, "hazard");
  map.finish();
}

void read_section(const YamlNode& node, const Section& section, const std::string& where,
                  const ApiEntry& defaults, ApiTable& table) {
  const std::string path(section.key);
  YamlMap(node, path, where);  // a map, or it throws
  auto& entries = section.kind == ApiKind::header    ? table.headers
                  : section.kind == ApiKind::library ? table.libraries
                                                     : table.names;
  for (const YamlNode& child : node.children) {
    ApiEntry entry = defaults;
    entry.cuda = child.key;
    entry.kind = section.kind;
    read_entry(child, path + "." + child.key, where, section.refused, entry);
    const auto [known, is_new] = entries.emplace(child.key, entry);
    if (!is_new) {
      fail_at(child, where, path + "." + child.key,
              fmt::format("given twice, the first time for {}; keep one", known->second.library));
    }
  }
}

std::vector<std::string> names_of(YamlMap& map, const YamlNode& list, const std::string& key) {
  map.expect(list, YamlKind::list, key);
  std::vector<std::string> names;
  for (const YamlNode& child : list.children) names.push_back(map.read_text(child, key));
  return names;
}

void read_file(const EmbeddedFile& file, ApiTable& table) {
  const std::string where(file.path);
  const YamlNode root = parse_yaml(file.contents, where);
  YamlMap map(root, "", where);
  ApiEntry defaults;
  defaults.library = map.read_text(map.require("library"), "library");
  map.read_text(map.require("source"), "source");
  map.require("since");
  defaults.since = version_of(map, "since", "");
  for (std::string& prefix : names_of(map, map.require("prefixes"), "prefixes")) {
    table.prefixes.push_back(std::move(prefix));
  }
  if (const YamlNode* overloads = map.find("overloads")) {
    for (std::string& name : names_of(map, *overloads, "overloads")) {
      table.overloads.insert(std::move(name));
    }
  }
  for (const Section& section : kSections) {
    if (const YamlNode* node = map.find(section.key)) {
      read_section(*node, section, where, defaults, table);
    }
  }
  map.finish();
}

const ApiEntry* entry_of(const std::map<std::string, ApiEntry, std::less<>>& entries,
                         std::string_view name) {
  const auto found = entries.find(name);
  return found == entries.end() ? nullptr : &found->second;
}

}  // namespace

std::string_view name_of(ApiKind kind) { return kKinds[static_cast<size_t>(kind)]; }

const ApiEntry* ApiTable::find(std::string_view name) const { return entry_of(names, name); }
const ApiEntry* ApiTable::find_header(std::string_view name) const {
  return entry_of(headers, name);
}

ApiTable read_api_table(std::span<const EmbeddedFile> files) {
  ApiTable table;
  for (const EmbeddedFile& file : files) read_file(file, table);
  return table;
}

const ApiTable& api_table() {
  static const ApiTable kTable = [] {
    std::vector<EmbeddedFile> files;
    for (const EmbeddedFile& file : embedded_files()) {
      if (file.path.starts_with("data/api/")) files.push_back(file);
    }
    return read_api_table(files);
  }();
  return kTable;
}

}  // namespace ambidex
