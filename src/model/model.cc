// SPDX-License-Identifier: Apache-2.0
#include "ambidex/model.h"

#include <algorithm>

#include "base/data_files.h"
#include "base/yaml_map.h"
#include "model/reader.h"
#include "model/tree.h"
#include "model/validate.h"

namespace ambidex {
namespace {

constexpr std::string_view kFolder = "data/models/";

/// The deepest node that the tree has along `path`.
const YamlNode& node_at(YamlNode& root, std::string_view path) {
  YamlNode* node = &root;
  while (!path.empty()) {
    const std::string_view key = path.substr(0, path.find('.'));
    YamlNode* child = node->kind == YamlKind::list ? find_entry(*node, key) : child_of(*node, key);
    if (child == nullptr) break;
    node = child;
    path.remove_prefix(std::min(key.size() + 1, path.size()));
  }
  return *node;
}

}  // namespace

std::vector<std::string> model_ids() { return data_file_ids(kFolder); }

ModelSpec load_model(const std::string& name_or_path, const std::vector<std::string>& overrides) {
  const DataFile file = load_data_file(kFolder, "model", name_or_path);
  return parse_model(file.text, file.where, overrides);
}

ModelSpec parse_model(std::string_view yaml, const std::string& where,
                      const std::vector<std::string>& overrides) {
  YamlNode root = parse_yaml(yaml, where);
  YamlMap(root, "", where);  // a map, or an error
  expand_short_forms(root, where);
  for (const std::string& override : overrides) {
    apply_override(root, override);
    expand_short_forms(root, where);
  }
  settle_feature_defaults(root, where);
  ModelSpec model;
  ModelReader reader(root, "", where);
  visit_fields(reader, model);
  reader.finish();
  validate_with(model, [&](const std::string& path, const std::string& what) {
    fail_at(node_at(root, path), where, path, what);
  });
  return model;
}

}  // namespace ambidex
